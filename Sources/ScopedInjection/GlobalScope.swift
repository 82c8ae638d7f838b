import Synchronization

/// Holds the global scope, and lets reads use it without retaining it.
enum GlobalScope {
    /// Owns the scope whose address is in the reader locks' root.
    private static let owner: Guarded<EnvironmentScope> = {
        let scope = EnvironmentScope(name: "global", role: .scope, parent: nil, defaults: nil)
        ReaderLocks.shared.root.pointee.store(address(of: scope), ordering: .releasing)
        return Guarded(scope)
    }()

    /// What references resolve in where no scope was entered; never retained, so that threads do not meet there.
    static let proxy = Unmanaged.passRetained(
        EnvironmentScope(name: "global", role: .global, parent: nil, defaults: nil)
    )

    static var current: EnvironmentScope {
        let locks = ReaderLocks.shared
        let line = ReaderLocks.lineOfThread()
        locks.lockLine(line)
        let current = locks.root.pointee.load(ordering: .acquiring).map { scope(at: $0).takeUnretainedValue() }
        finishRetaining()
        locks.unlockLine(line)
        return current ?? owner.withLock { $0 }
    }

    static func replace(by newValue: EnvironmentScope) {
        guard let scope = newValue.standIn else {
            ScopeError(
                .invalid,
                detail:
                    "The scope given to a builder cannot become the global one: the scope that kept the value is gone."
            ).endProgram()
        }
        let old = EnvironmentScope.treeLock.withLock { _ in exchange(for: scope) }
        withExtendedLifetime(old) {}
    }

    private static func exchange(for scope: EnvironmentScope) -> EnvironmentScope {
        if scope.nextScope.isAny {
            ScopeError(
                .invalid,
                detail: "\(scope.displayName) has a parent, so it cannot be the global scope.",
                advice: "make it with parent: nil, or take its parent away first (scope.parent = nil)."
            ).endProgram()
        }
        return owner.withLock { owner in
            let old = owner
            owner = scope
            let locks = ReaderLocks.shared
            locks.lockLines(ReaderLocks.everyLine)
            locks.root.pointee.store(address(of: scope), ordering: .releasing)
            locks.noteMove()
            locks.advanceEpoch()
            if Alias.isInUse { locks.noteNames() }
            locks.unlockLines(ReaderLocks.everyLine)
            return old
        }
    }

    static func scope(at address: UnsafeRawPointer) -> Unmanaged<EnvironmentScope> { .fromOpaque(address) }

    private static func address(of scope: EnvironmentScope) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(scope).toOpaque())
    }
}

extension EnvironmentScope {
    /// The scope to bind a reference to: the global one for what stands for it.
    ///
    /// The scope of a builder stays what it is: it owns nothing, and stands for another scope later.
    var bindable: EnvironmentScope { isProxy ? .global : self }

    /// Whether this is the global scope at the moment.
    var isGlobal: Bool {
        let address = table.locks.root.pointee.load(ordering: .acquiring)
        return address == UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }
}
