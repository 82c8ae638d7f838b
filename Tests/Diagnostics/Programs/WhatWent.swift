import ScopedInjection
import ScopedInjectionTesting
import Testing

// What an earlier version had.

// error: 'Level' has been renamed to 'ScopeStrictness'
func level(_ level: ScopeStrictness.Level) {}

func use(_ app: EnvironmentScope, _ handler: Pool) async throws {
    // error: 'removeAll()' is unavailable: remove each value by name, with removeValue(for:), or make another scope
    app.removeAll()
    // error: 'discardBuiltValue(for:)' is unavailable: it takes any number of values: discardBuiltValues(\.a)
    await app.discardBuiltValue(for: \.database)
    // error: 'update(building:rebuilding:change:)' is unavailable: read in the closure what is to be built: _ = try $0.value(for: \.a)
    try app.update(building: \.database, rebuilding: \.user) { $0.port = 1 }
    // error: 'update(building:rebuilding:change:)' is unavailable: read in the closure what is to be built: _ = try $0.value(for: \.a)
    try app.update(building: \.database) { $0.port = 1 }
    // error: 'reload(building:rebuilding:closingWithin:change:)' is unavailable: read in the closure what is to be built: _ = try $0.value(for: \.a)
    try await app.reload(building: \.database) { $0.port = 1 }
    // error: 'unowned' is unavailable: replaceInValues(options:) does not keep the scope alive
    app.replace(in: handler, options: .unowned)
    // error: 'unowned' is unavailable: replaceInValues(options:) does not keep the scope alive
    app.replace(in: handler, options: [.recursive, .unowned])
    // error: 'init(unreadValues:lateReads:survivors:globalScope:)' is unavailable: it is one level for all reports: .failures, .warnings or .off
    _ = ScopeStrictness(survivors: .off)
}
