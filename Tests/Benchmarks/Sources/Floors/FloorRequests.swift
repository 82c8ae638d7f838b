internal import BlackHole

/// Requests of `FloorScope`, `count` times one after the other.
public struct FloorRequests: Sendable {
    private static let own: UInt = 0x1_0040
    private static let parents: UInt = 0x1_0080

    private let app = FloorScope()

    /// Creates the scope that requests are children of.
    public init() { app.set(Self.parents, 1) }

    /// Makes a child with one value, enters it and reads that.
    @inline(never)
    public func readOwnValue(_ count: Int) { serve(count, reading: Self.own) }

    /// Does the same, and keeps the parent alive while the child is entered.
    @inline(never)
    public func readOwnValueKeepingParent(_ count: Int) { serve(count, reading: Self.own, keepingParent: true) }

    /// Makes a child with one value, enters it and reads a value of its parent.
    @inline(never)
    public func readParentsValue(_ count: Int) { serve(count, reading: Self.parents) }

    /// Does the same, and keeps the parent alive while the child is entered.
    @inline(never)
    public func readParentsValueKeepingParent(_ count: Int) { serve(count, reading: Self.parents, keepingParent: true) }

    // Inlined, so that each of them has a loop of its own.
    @inline(__always)
    private func serve(_ count: Int, reading key: UInt, keepingParent: Bool = false) {
        for number in 0..<count {
            let request = app.child()
            request.set(Self.own, number)
            request.run(keepingParent: keepingParent) { blackHole(FloorScope.read(key)) }
        }
    }
}
