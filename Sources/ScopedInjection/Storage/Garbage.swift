/// Objects and cells that were taken out of scopes, to be released when no lock is held.
struct Garbage: ~Copyable {
    // Usually there is none, and then nothing is made.
    private var content: Content?

    private final class Content {
        var cells: [Cell] = []
        var objects: [AnyObject] = []

        deinit {
            assert(ThreadState.isFree, "something is let go of under a lock")
            for cell in cells { cell.destroy() }
        }
    }

    mutating func add(_ cell: Cell?) {
        if let cell { made().cells.append(cell) }
    }

    mutating func add(_ object: AnyObject?) {
        if let object { made().objects.append(object) }
    }

    private mutating func made() -> Content {
        if let content { return content }
        let made = Content()
        content = made
        return made
    }
}
