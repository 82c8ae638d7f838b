/// What was taken out of scopes, to be let go of when no line is held.
struct Garbage: ~Copyable {
    private var cells: [Cell] = []
    private var objects: [AnyObject] = []

    deinit {
        assert(cells.isEmpty && objects.isEmpty || ThreadState.isFree, "something is let go of under a lock")
        for cell in cells { cell.destroy() }
    }

    mutating func add(_ cell: Cell?) {
        if let cell { cells.append(cell) }
    }

    mutating func add(_ object: AnyObject?) {
        if let object { objects.append(object) }
    }

    /// Takes what was put in over from another.
    mutating func add(_ other: consuming Garbage) {
        cells += other.cells
        objects += other.objects
        other.cells = []
        other.objects = []
    }
}
