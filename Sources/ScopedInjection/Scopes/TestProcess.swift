/// What the module `ScopedInjectionTesting` does in a process that links it, which is a test process.
package protocol TestHook: Sendable {
    /// Is told of reads in the global scope, and below.
    static var watch: any ScopeWatch { get }
    /// Records an issue of the running test, or of the run where no test is known.
    static func record(_ lines: [String], fileID: StaticString, line: UInt)
}

/// Whether the process runs tests.
enum TestProcess {
    /// Found by its name, so that no test has to import the module, and no other program links it.
    static let hook = _typeByName("22ScopedInjectionTesting11GlobalWatchC") as? any TestHook.Type

    /// What the global scope does with defaults, where it does not say so itself.
    fileprivate static let policy = Guarded(DefaultsPolicy.reported)

    /// Lets what the global scope, or one that becomes it, gives by default be reported.
    static func prepare(_ scope: EnvironmentScope) {
        guard let hook else { return }
        scope.startWatching(hook.watch)
        let policy = policy.withLock { $0 }
        if policy != .allowed, !scope.node.decides(on: DefaultsPolicy.key.address) { scope.setDefaults(policy) }
    }
}

extension EnvironmentScope {
    /// Says what the global scope does with defaults in a test process, and those that become it.
    package static func setGlobalDefaults(_ policy: DefaultsPolicy) {
        TestProcess.policy.withLock { $0 = policy }
        global.setDefaults(policy)
    }
}
