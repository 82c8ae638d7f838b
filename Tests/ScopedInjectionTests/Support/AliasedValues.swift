import ScopedInjection

// The values of the suites about aliases.

extension ScopeValues {
    static var main: ScopeValue<Int> { .value(100) }
    static var replica: ScopeValue<Int> { .value(200) }
    static var backup: ScopeValue<Int> { .value(300) }
    static var archive: ScopeValue<Int> { .value(400) }
    static var ofMain: ScopeValue<String> { .lazy { "main \(try $0.main)" } }
    static var ofReplica: ScopeValue<String> { .lazy { "replica \(try $0.replica)" } }
}
