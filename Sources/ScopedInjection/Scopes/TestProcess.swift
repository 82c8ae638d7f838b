/// What the module `ScopedInjectionTesting` does in a process that links it and runs tests.
package protocol TestHook: Sendable {
    /// Is told of what happens in the global scope and in other roots, and below them.
    static var watch: any ScopeWatch { get }
    /// What roots without a policy of their own do with defaults.
    static var policyOfRoots: DefaultsPolicy { get }
    /// Says that; returns what was said before, of which the stricter counts.
    static func say(_ policy: DefaultsPolicy) -> DefaultsPolicy?
    /// Records an issue of the running test, or of the run where no test is known.
    static func record(_ lines: [String], at place: ScopeError.Location)
}

/// What is different for roots in a process that runs tests.
package enum TestProcess {
    /// Nil in a process that runs no tests.
    package static var hook: (any TestHook.Type)? { TestRun.isUnderWay ? linkedHook : nil }

    /// Found by its name, so that no test has to import the module, and no other program links it; asked for each time, because a
    /// program that hosts its tests loads them later.
    private static var linkedHook: (any TestHook.Type)? {
        _typeByName("22ScopedInjectionTesting11GlobalWatchC") as? any TestHook.Type
    }

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
        guard let hook, hook.policyOfRoots != .allowed else { return }
        if !root.node.isWatched { root.startWatching(hook.watch) }
        if !root.node.decides(on: DefaultsPolicy.key.address) { root.setDefaults(hook.policyOfRoots) }
    }

    /// Says once that a program which runs no tests links what tests link.
    static let tellsOfOtherProgram: Void = {
        if TestRun.isUnderWay || linkedHook == nil { return }
        writeToStandardError(
            "ScopedInjectionTesting is linked into a program that runs no tests. Nothing is different; link it to test targets only.\n"
        )
    }()

    /// Says that tests run, whatever the program is called.
    package static func begin() {
        if TestRun.say() { return }
        writeToStandardError(
            "Tests run in a program that is not known to run any: what was read before was live. Set SCOPED_INJECTION_TESTS=1.\n"
        )
        watch(GlobalScope.current)
    }
}
