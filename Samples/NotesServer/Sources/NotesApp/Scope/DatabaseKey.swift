package import ScopedInjection

/// The database of the tenant.
///
/// It has no default, so that a test that forgets to provide one fails instead of opening a file. Whoever provides it
/// reads the tenant, which is why it is kept in the tenant's scope: one database for all requests of a tenant.
package enum DatabaseKey: ScopeKey {
    package typealias Value = NotesDatabase
}

extension EnvironmentScope {
    /// The database of the tenant.
    package var database: NotesDatabase {
        get { self[DatabaseKey.self] }
        set { self[DatabaseKey.self] = newValue }
    }
}
