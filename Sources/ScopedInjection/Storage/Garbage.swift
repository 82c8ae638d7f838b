/// Objects and cells that were taken out of scopes, to be released when no lock is held.
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

    /// Takes over the content of another one.
    mutating func add(_ other: consuming Garbage) {
        cells += other.cells
        objects += other.objects
        other.cells = []
        other.objects = []
    }
}
