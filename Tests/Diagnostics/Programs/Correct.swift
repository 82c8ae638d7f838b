import ScopedInjection

// Compiles: else the check of the other programs would say nothing.

extension ScopeRole {
    static var tenant: ScopeRole { ScopeRole() }
}

extension ScopeValues {
    static var function: ScopeValue<@Sendable () -> Int> { .value({ 7 }) }
    static var optionalFunction: ScopeValue<(@Sendable () -> Int)?> { .optional() }
    static var session: ScopeValue<Pool> { .lazy(.once(in: .tenant)) { _ in Pool("session") } }
    static var token: ScopeValue<String> { .required() }
    static var pool: ScopeValue<Deferred<Pool>> {
        .lazy { reader in
            let path = try reader.databasePath
            return Deferred { try await Pool.connect(path) }
        }
    }
    static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, id: name) }
}

struct Handler: Sendable {
    @Injected(\.port) var port
    @Injected(\.user?.name) var userName
    @Injected({ "\($0.databasePath):\($0.port)" }) var address
}

/// A builder hands its reader to a function that throws.
func makePool(_ reader: ScopeReader) throws -> Pool { try Pool(reader.databasePath) }

func use(_ scope: EnvironmentScope) async throws {
    scope.port = 1
    scope.with(\.port, 2).with({ $0.flag("beta") }, true).with(\.user!.name, "Ada")
    scope.provide(\.database) { try SQLite(path: $0.databasePath) }
    scope.provide(\.session, makePool)
    scope.decorate(\.databasePath) { path, _ in path + ".copy" }
    try scope.validate(\.port, \.database)
    try scope.validate({ $0.flag("beta") }, \.port)
    try await EnvironmentScope.withScope("app") {
        $0.port = 1
    } operation: {
        try await $0.prepare(\.port, { $0.flag("beta") })
    }
    scope[ScopeValues.flag("beta")] = true
    let port = try scope.value(for: \.port)
    let pool = try await scope.pool()
    let empty = EnvironmentScope.empty("empty", role: .tenant, parent: scope)
    print(port, pool.path, Injected({ $0.flag("beta") })(), scope.explain(\.port), empty)
}
