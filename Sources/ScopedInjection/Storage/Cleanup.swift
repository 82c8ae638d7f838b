/// A cleanup of a scope, or of a value that the scope keeps; one link of a list, the last one first.
///
/// The list belongs to a node, and is guarded by the lines of its readers.
final class Cleanup {
    /// What is called; what need not be awaited runs without a task of its own.
    enum Action: Sendable {
        case plain(@Sendable () throws -> Void)
        case awaited(@Sendable () async throws -> Void)
    }

    let action: Action
    /// The version of the kept value that it belongs to; 0 if it is the scope's own.
    let owner: UInt64
    fileprivate(set) var next: Unmanaged<Cleanup>?

    init(_ action: Action, owner: UInt64, before next: Unmanaged<Cleanup>?) {
        self.action = action
        self.owner = owner
        self.next = next
    }
}

/// The caller has called `startWriting`, or nobody else can reach the node.
extension UnsafeMutablePointer where Pointee == Node {
    func addCleanup(_ action: Cleanup.Action, owner: UInt64 = 0) {
        pointee.cleanups = .passRetained(Cleanup(action, owner: owner, before: pointee.cleanups))
    }

    /// Takes the cleanup that was added last.
    func takeCleanup() -> Cleanup? {
        guard let first = pointee.cleanups?.takeRetainedValue() else { return nil }
        pointee.cleanups = first.next
        return first
    }

    /// Takes the cleanups of kept values, the last one first; `owner` is the version of a cell.
    func takeCleanups(where condition: (_ owner: UInt64) -> Bool) -> [Cleanup.Action] {
        var taken: [Cleanup.Action] = []
        var before: Unmanaged<Cleanup>?
        var at = pointee.cleanups
        while let link = at {
            let (next, isOfValue) = link._withUnsafeGuaranteedRef { ($0.next, $0.owner != 0 && condition($0.owner)) }
            if isOfValue {
                if let before { before._withUnsafeGuaranteedRef { $0.next = next } } else { pointee.cleanups = next }
                taken.append(link.takeRetainedValue().action)
            } else {
                before = link
            }
            at = next
        }
        return taken
    }
}
