package import GRDB
package import ScopedInjection

/// The open database, opened when first asked for.
///
/// Its only input is the path, so it is kept by the scope that set the path: one database for all requests of an
/// application, and another one for each test that sets a path of its own.
package enum DatabaseKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> any DatabaseWriter {
        let database = try openNotesDatabase(at: try scope.value(for: DatabasePathKey.self))
        scope.onClose { try? database.close() }
        return database
    }
}

extension EnvironmentScope {
    /// The open database.
    package var database: any DatabaseWriter {
        get { self[DatabaseKey.self] }
        set { self[DatabaseKey.self] = newValue }
    }
}
