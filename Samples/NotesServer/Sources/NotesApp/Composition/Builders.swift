import ScopedInjection

// The builders of values that take more than a line.

extension Accounts {
    /// The accounts of the file that is set; where none is, those of the demonstration.
    ///
    /// - Throws: ``SettingError`` where the file cannot be used, or where a demonstration would be open to other machines
    static func live(in scope: EnvironmentScope) throws -> Accounts {
        if let path = try scope.value(for: \.accountsFile) { return try Accounts(file: path) }
        let hostname = try scope.value(for: \.hostname)
        let local = Demonstration.hostname
        guard hostname == local else {
            throw SettingError(
                variable: "NOTES_ACCOUNTS_FILE",
                problem: "is missing: without accounts the server listens on \(local) only, not on '\(hostname)'."
            )
        }
        return Demonstration.accounts
    }
}

extension Tenants {
    /// One scope for each tenant that has an account, closed with the scope that keeps them.
    static func live(in scope: EnvironmentScope) throws -> Tenants {
        let tenants = Tenants(try scope.value(for: \.accounts).tenants, parent: scope)
        scope.onClose { await tenants.close() }
        return tenants
    }
}

/// Tells the service that is set of new notes; where none is, nobody.
func makeAnnouncer(in scope: EnvironmentScope) throws -> any Announcer {
    guard let url = try scope.value(for: \.announcementURL) else { return SilentAnnouncer() }
    return HTTPAnnouncer(client: try scope.value(for: \.httpClient), url: url)
}
