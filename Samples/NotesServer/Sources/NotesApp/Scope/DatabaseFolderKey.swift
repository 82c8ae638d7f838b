package import ScopedInjection

/// The folder that holds the databases of the tenants.
package enum DatabaseFolderKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> String {
        try scope.value(for: ConfigurationKey.self)
            .requiredSetting(["database", "folder"], meaning: "the folder that holds the databases")
    }
}

extension EnvironmentScope {
    /// The folder that holds the databases of the tenants.
    package var databaseFolder: String {
        get { self[DatabaseFolderKey.self] }
        set { self[DatabaseFolderKey.self] = newValue }
    }
}
