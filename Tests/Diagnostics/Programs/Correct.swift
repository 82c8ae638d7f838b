import ScopedInjection

// Compiles: else the check of the other programs would say nothing.

extension ScopeValues {
    static let inferred = ScopeValue { scope in Pool(scope.databasePath) }
    static let function = ScopeValue<@Sendable () -> Int>({ 7 })
    static let optionalFunction = ScopeValue<(@Sendable () -> Int)?>()
    static let scoped = ScopeValue(.scoped) { _ in Pool("scoped") }
    static let pool = ScopeValue<Deferred<Pool>> { scope in
        let path = scope.databasePath
        return Deferred { try await Pool.connect(path) }
    }
}

enum LimitKey: ScopeKey { static let defaultValue = 100 }

struct Handler: Sendable {
    @Injected(\.port) var port
    @Injected(\.user?.name) var userName
    @Injected(key: LimitKey.self) var limit
}

func use(_ scope: EnvironmentScope) async throws {
    scope.port = 1
    scope.with(\.port, 2).with(ScopeValues.port, 3)
    scope.provide(\.database) { scope in try SQLite(path: scope.databasePath) }
    try scope.validate(\.port, \.database)
    try scope.validate(ScopeValues.port)
    try scope.validate(LimitKey.self)
    let port = try scope.value(for: \.port)
    let pool = try await scope.pool()
    let empty = EnvironmentScope.empty("empty", parent: scope)
    print(port, pool.path, Injected(value: ScopeValues.port)(), scope.explain(\.port), empty)
}
