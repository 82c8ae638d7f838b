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
    public func readOwnValue(_ count: Int) {
        for number in 0..<count {
            let request = app.child()
            request.set(Self.own, number)
            request.run { blackHole(FloorScope.read(Self.own)) }
        }
    }

    /// Does the same, and keeps the parent alive while the child is entered.
    @inline(never)
    public func readOwnValueKeepingParent(_ count: Int) {
        for number in 0..<count {
            let request = app.child()
            request.set(Self.own, number)
            request.runKeepingParent { blackHole(FloorScope.read(Self.own)) }
        }
    }

    /// Makes a child with one value, enters it and reads a value of its parent.
    @inline(never)
    public func readParentsValue(_ count: Int) {
        for number in 0..<count {
            let request = app.child()
            request.set(Self.own, number)
            request.run { blackHole(FloorScope.read(Self.parents)) }
        }
    }
}
