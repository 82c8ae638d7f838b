import ScopedInjection
import Testing

// The examples in the comments about key types: compiled, and not run.

private enum PortKey: ScopeKey { static let defaultValue = 8080 }

private enum DatabaseKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> any Database {
        try SQLite(path: scope.value(for: DatabasePathKey.self))
    }
}

private enum UserKey: ScopeKey { typealias Value = User? }
private enum TokenKey: ScopeKey { typealias Value = Token }

private enum PrimaryKey: ScopeKey { static let defaultValue = 1 }
private enum ReplicaKey: ScopeKey { static let defaultValue = 2 }
private enum DatabasePathKey: ScopeKey { static let defaultValue = "notes.db" }
private enum LoggerKey: ScopeKey { static var defaultValue: Logger { Logger() } }

private struct Logger: Sendable {
    func tagged(_ tag: String) -> Logger { self }
}

extension EnvironmentScope {
    fileprivate var port: Int {
        get { self[PortKey.self] }
        set { self[PortKey.self] = newValue }
    }
}

private struct Server {
    @Injected(key: PortKey.self) var port
}

private func connect(with token: Token) {}

private func keys(app: EnvironmentScope, request: EnvironmentScope, scope: EnvironmentScope) throws {
    let token = try scope.value(for: TokenKey.self)
    connect(with: token)
    if let token = try scope.valueIfAny(TokenKey.self) { connect(with: token) }
    #expect(request.localValue(for: DatabaseKey.self) == nil)
    app.provide(LoggerKey.self) { scope in try scope.inherited(LoggerKey.self).tagged("app") }
    try app.validate(DatabaseKey.self, TokenKey.self)
    app.provide(DatabaseKey.self) { scope in try SQLite(path: "notes.db") }
    request.removeValue(for: UserKey.self)
    let test = EnvironmentScope.empty("test", parent: nil).with(PortKey.self, 9090)
    test.removeAll()
    scope.alias(PrimaryKey.self, to: ReplicaKey.self)
    print(request.explain(DatabaseKey.self))
}
