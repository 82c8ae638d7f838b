package import ScopedInjection

/// The notes of all users, kept in the scope's database.
package enum NoteStoreKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> NoteStore {
        NoteStore(database: try scope.value(for: DatabaseKey.self))
    }
}

extension EnvironmentScope {
    /// The notes of all users.
    package var noteStore: NoteStore {
        get { self[NoteStoreKey.self] }
        set { self[NoteStoreKey.self] = newValue }
    }
}
