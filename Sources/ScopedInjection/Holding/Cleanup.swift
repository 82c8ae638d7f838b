/// A cleanup of a scope, or of a value that the scope keeps; one link of a chain.
final class Cleanup: @unchecked Sendable {
    // Sendable because whoever owns the chain guards the links: a build by its thread, a node by the lines of its readers.

    /// What is called; what need not be awaited runs without a task of its own.
    enum Action: Sendable {
        case plain(@Sendable () throws -> Void)
        case awaited(@Sendable () async throws -> Void)
    }

    let action: Action
    /// The value that it belongs to; nil for a cleanup of the scope itself.
    let value: ValueKey?
    /// Where a cleanup of the scope itself was registered.
    let place: SourcePlace?
    /// Tells the order of the links of one list, where later ones have larger numbers.
    fileprivate(set) var number: UInt64 = 0
    /// The one that was registered before this one.
    fileprivate(set) var next: Borrowed<Cleanup>?
    /// The one that was registered after this one, in the list of a node.
    fileprivate var previous: Borrowed<Cleanup>?

    init(_ action: Action, of value: ValueKey? = nil, at place: SourcePlace? = nil) {
        (self.action, self.value, self.place) = (action, value, place)
    }
}

/// Cleanups in the order in which they have to run, the last one first.
///
/// It owns them, and is used up by whoever takes them out or adds them elsewhere.
struct CleanupChain: Sendable {
    fileprivate(set) var first: Borrowed<Cleanup>
    fileprivate var last: Borrowed<Cleanup>
    fileprivate(set) var count: UInt32

    init(_ cleanup: Cleanup) {
        first = .retaining(cleanup)
        (last, count) = (first, 1)
    }

    /// So many cleanups of a list, from the first one on.
    fileprivate init(_ first: Borrowed<Cleanup>, count: UInt32) {
        (self.first, last, self.count) = (first, first, count)
        for _ in 1..<count { last = last.next.unsafelyUnwrapped }
    }

    /// The number of the first cleanup.
    var number: UInt64 { first.number }

    /// Adds cleanups that run after these.
    mutating func append(_ other: CleanupChain) {
        last.with { $0.next = other.first }
        last = other.last
        count += other.count
    }

    /// Adds cleanups that run before these.
    mutating func prepend(_ other: CleanupChain) {
        other.last.with { $0.next = first }
        first = other.first
        count += other.count
    }

    /// Takes the first cleanup; the chain is nil after the last one.
    static func takeFirst(of chain: inout CleanupChain?) -> Cleanup? {
        guard let cleanup = chain?.first.take() else { return nil }
        if let next = cleanup.next {
            chain?.first = next
            chain?.count -= 1
        } else {
            chain = nil
        }
        return cleanup
    }
}

/// The caller has called `startWriting`, or nobody else can reach the node.
extension UnsafeMutablePointer where Pointee == Node {
    /// Adds cleanups, which run before those that are there.
    func addCleanups(_ chain: CleanupChain) {
        let old = pointee.cleanups
        chain.last.with { $0.next = old }
        pointee.cleanups = chain.first
        var link = chain.first
        var newer: Borrowed<Cleanup>?
        var number = UInt64(chain.count) + (old?.number ?? 0)
        for _ in 0..<chain.count {
            let next = link.with { cleanup in
                (cleanup.previous, cleanup.number) = (newer, number)
                return cleanup.next
            }
            newer = link
            number -= 1
            if let next { link = next }
        }
        old?.with { $0.previous = newer }
    }

    /// Takes the cleanup that was added last.
    func takeCleanup() -> Cleanup? {
        guard let first = pointee.cleanups?.take() else { return nil }
        pointee.cleanups = first.next
        first.next?.with { $0.previous = nil }
        return first
    }

    /// Takes out the cleanups of a value, which were added together.
    func takeCleanups(from first: Borrowed<Cleanup>, count: UInt32) -> CleanupChain {
        let chain = CleanupChain(first, count: count)
        let newer = chain.first.previous
        let older = chain.last.next
        if let newer { newer.with { $0.next = older } } else { pointee.cleanups = older }
        older?.with { $0.previous = newer }
        chain.last.with { $0.next = nil }
        return chain
    }
}
