extension EnvironmentScope {
    /// The anchor to run code in, which keeps the scope and its chain alive until it is given to `leave`.
    @usableFromInline
    func enter() -> Unmanaged<Anchor> { Lending.borrow(of: self).unmanaged }

    /// The same for a new child, by code that keeps the child's parent alive until then.
    ///
    /// All children of a scope would contend for the count of its references.
    @usableFromInline
    func enterBelowKeptParent() -> Unmanaged<Anchor> { Lending.borrow(of: self, isParentKept: true).unmanaged }

    @usableFromInline
    func leave(_ anchor: Unmanaged<Anchor>) { Lending.giveBack(Borrowed(anchor)) }

    @inlinable
    @inline(__always)
    func run<Success, Failure: Error>(_ body: () throws(Failure) -> Success) throws(Failure) -> Success {
        let anchor = enter()
        defer { leave(anchor) }
        return try Anchor.run(in: anchor, body)
    }

    @inlinable
    @inline(__always)
    nonisolated(nonsending) func run<Success, Failure: Error>(
        _ body: @concurrent () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        try await run(in: enter(), body)
    }

    /// Runs code in an anchor of the scope, which it leaves.
    @inlinable
    @inline(__always)
    nonisolated(nonsending) func run<Success, Failure: Error>(
        in anchor: Unmanaged<Anchor>,
        _ body: @concurrent () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        defer { leave(anchor) }
        // Not by `Anchor.run`: one more asynchronous call would cost a request a sixth.
        do {
            let anchor = anchor.takeUnretainedValue()
            return try await Anchor.taskLocal.withValue(Anchor.InForce(anchor), operation: body)
        } catch {
            throw Anchor.typed(error)
        }
    }
}
