package import ScopedInjection

/// The notes of the tenant's users.
///
/// Its only input is the database, so it is kept where the database is: one store for all requests of a tenant.
package enum NoteStoreKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> NoteStore {
        NoteStore(database: try scope.value(for: DatabaseKey.self))
    }
}

extension EnvironmentScope {
    /// The notes of the tenant's users.
    package var noteStore: NoteStore {
        get { self[NoteStoreKey.self] }
        set { self[NoteStoreKey.self] = newValue }
    }
}
