extension EnvironmentScope {
    @inline(__always)
    func run<Success, Failure: Error>(_ body: () throws(Failure) -> Success) throws(Failure) -> Success {
        try run(in: Lending.borrow(of: self), body)
    }

    /// Runs the configuration of a new scope, which nothing else refers to yet.
    @inline(__always)
    func configureFirst(_ configure: (EnvironmentScope) throws -> Void) rethrows {
        guard let node else { return }
        // The caller keeps the parent alive, which usually is the whole chain.
        let isChainHeld = node.isParentOutermost
        let anchor = Lending.borrowFirst(of: self, node, isChainHeld: isChainHeld)
        do {
            try anchor._withUnsafeGuaranteedRef { anchor in
                try Anchor.$current.withValue(anchor) { try configure(self) }  // fault: configured
            }
        } catch {
            Lending.giveBack(anchor)
            closeAfterFailure()
            throw error
        }
        Lending.giveBack(anchor)
    }

    /// Runs the cleanups that a failed configuration has registered.
    @inline(never)
    private func closeAfterFailure() {
        guard rare != nil else { return }
        Task { await runCleanups() }  // fault: failed-configuration
    }

    /// Runs code in an anchor that was borrowed from this scope.
    @inline(__always)
    private func run<Success, Failure: Error>(
        in anchor: Unmanaged<Anchor>,
        _ body: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        defer { Lending.giveBack(anchor) }
        return try Anchor.run(in: anchor, body)
    }

    nonisolated(nonsending) func run<Success, Failure: Error>(
        _ body: nonisolated(nonsending) () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let anchor = Lending.borrow(of: self)
        defer { Lending.giveBack(anchor) }
        return try await anchor.takeUnretainedValue().run(body)
    }
}
