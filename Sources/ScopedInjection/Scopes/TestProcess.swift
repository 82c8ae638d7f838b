/// What the module `ScopedInjectionTesting` does in a process that links it and runs tests.
package protocol TestHook: Sendable {
    /// Is told of what happens in the global scope and in other roots, and below them.
    static var watch: any ScopeWatch { get }
    /// Records an issue of the running test, or of the run where no test is known.
    static func record(_ lines: [String], at place: ScopeError.Location)
}

/// What is different for roots in a process that runs tests.
enum TestProcess {
    private struct State: Sendable {
        var hook: (any TestHook.Type)?
        /// What the traits of tests say.
        var policy: DefaultsPolicy?
    }

    private static let state = Guarded(State())

    /// Nil in a process that runs no tests.
    ///
    /// Asked for again until it is there, because a program that hosts its tests loads them later.
    static var hook: (any TestHook.Type)? {
        guard TestRun.isUnderWay else { return nil }
        if let known = state.withLock({ $0.hook }) { return known }
        let hook = linkedHook
        state.withLock { $0.hook = hook }
        return hook
    }

    /// Found by its name, so that no test has to import the module, and no other program links it.
    private static var linkedHook: (any TestHook.Type)? {
        _typeByName("22ScopedInjectionTesting11GlobalWatchC") as? any TestHook.Type
    }

    /// What roots without a policy of their own do with defaults.
    fileprivate static var policy: DefaultsPolicy { state.withLock { $0.policy } ?? .reported }

    /// Prepares a root that allows no defaults itself, and the global scope where that is older than the hook.
    @inline(__always)
    static func prepare(_ root: EnvironmentScope) {
        if TestRun.isUnderWay {
            watch(root)
            watch(GlobalScope.current)
        }
    }

    /// Lets a root be watched, and report the defaults that it gives if it says nothing of them.
    @inline(never)
    static func watch(_ root: EnvironmentScope) {
        guard let hook else { return }
        let policy = policy
        if policy == .allowed { return }
        if !root.node.isWatched { root.startWatching(hook.watch) }
        if !root.node.decides(on: DefaultsPolicy.key.address) { root.setDefaults(policy) }
    }

    /// Says once that a program which runs no tests links what tests link.
    static let tellsOfOtherProgram: Void = {
        if TestRun.isUnderWay || linkedHook == nil { return }
        writeToStandardError(
            "ScopedInjectionTesting is linked into a program that runs no tests. Nothing is different; link it to test targets only.\n"
        )
    }()

    fileprivate static func say(_ policy: DefaultsPolicy) -> DefaultsPolicy? {
        state.withLock { state in
            defer { if state.policy.map({ $0.isLessStrict(than: policy) }) != false { state.policy = policy } }
            return state.policy
        }
    }
}

extension EnvironmentScope {
    /// What roots without a policy of their own do with defaults in a test process.
    package static var defaultsOfRoots: DefaultsPolicy { TestProcess.policy }

    /// Says that; returns what was said before, of which the stricter counts.
    package static func setDefaultsOfRoots(_ policy: DefaultsPolicy) -> DefaultsPolicy? {
        let former = TestProcess.say(policy)
        global.setDefaults(TestProcess.policy)
        return former
    }
}

extension DefaultsPolicy {
    fileprivate func isLessStrict(than other: DefaultsPolicy) -> Bool {
        self == .allowed ? other != .allowed : self == .reported && other == .forbidden
    }
}
