package import ScopedInjection

/// The file that holds the notes.
///
/// It has no default: a scope that nobody gave a path, such as a test's, must not open the file of a running server.
package enum DatabasePathKey: ScopeKey {
    package typealias Value = String
}

extension EnvironmentScope {
    /// The path of the SQLite file that holds the notes, or `:memory:`.
    package var databasePath: String {
        get { self[DatabasePathKey.self] }
        set { self[DatabasePathKey.self] = newValue }
    }
}
