/// How long a read throws away runs of builders because inputs have changed: until four have run.
struct Patience {
    static let runs = 4
    private var lost = 0

    /// Whether the next run is the last one.
    var isOver: Bool { lost >= Self.runs - 1 }

    /// A run was thrown away.
    mutating func lose() { lost += 1 }
}
