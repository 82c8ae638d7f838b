package import ScopedInjection

// What belongs to a tenant.

extension ScopeValues {
    /// The tenant whose scope this is, or in whose scope this one lies.
    ///
    /// It has no default: outside a tenant's scope there is no database to be had.
    package static let tenant = ScopeValue<Tenant>.required(name: "tenant")

    /// The database of the tenant.
    ///
    /// It has no default, so that a test that forgets to provide one fails instead of opening a file. Whoever provides it
    /// reads the tenant, which is why it is kept in the tenant's scope: one database for all requests of a tenant.
    package static let database = ScopeValue<NotesDatabase>.required(name: "database")

    /// The notes of the tenant's users.
    ///
    /// Its only input is the database, so it is kept where the database is: one store for all requests of a tenant.
    package static let noteStore = ScopeValue<NoteStore>(name: "noteStore") { scope in
        NoteStore(database: try scope.value(for: \.database))
    }
}

extension EnvironmentScope {
    /// The tenant, or nil where this scope lies in no tenant's: in that of a request that is not authenticated.
    package var tenantIfAny: Tenant? { try? valueIfAny(\.tenant) }
}
