/// How long a read throws away runs of builders because inputs have changed: at least four, and for at least a tenth of a second.
struct Patience {
    static let runs = 4
    private var lost = 0
    private var since: Stopwatch?

    /// Whether the next run is the last one.
    var isOver: Bool { lost >= Self.runs - 1 && since.map { $0.time >= .milliseconds(100) } == true }

    /// Another read begins.
    @inline(__always)
    mutating func renew() { if lost > 0 { self = Patience() } }

    /// A run was thrown away.
    mutating func lose() {
        lost += 1
        if since == nil { since = Stopwatch() }
    }
}
