import Logging
import ScopedInjection

// The builders of values that take more than a line.

extension Accounts {
    /// The accounts of the file that is set; where none is, those of the demonstration.
    ///
    /// - Throws: ``SettingError`` where the file cannot be used, or where a demonstration would be open to other machines
    static func live(_ reader: ScopeReader) throws -> Accounts {
        if let path = try reader.accountsFile { return try Accounts(file: path) }
        let hostname = try reader.hostname
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

/// Writes lines from the level that is set, each with the id of the request that it belongs to.
func makeLogger(_ reader: ScopeReader) throws -> Logger {
    var logger = Logger(label: "notes-server", metadataProvider: .requestID)
    logger.logLevel = try reader.logLevel
    return logger
}

extension Tenants {
    /// The scopes of the tenants that have an account, below the application's scope.
    static func live(_ reader: ScopeReader) throws -> Tenants {
        // The scopes are children of the scope that keeps them, which is the current one here. Its closing closes them.
        Tenants(try reader.accounts.tenants, parent: .current)
    }
}

extension Transaction {
    /// What is not committed when the request ends is taken back.
    static func live(_ reader: ScopeReader) throws -> Transaction {
        let transaction = Transaction(on: try reader.database)
        reader.onClose { await transaction.rollBack() }
        return transaction
    }
}

/// Tells the service that is set of new notes; where none is, nobody.
func makeAnnouncer(_ reader: ScopeReader) throws -> any Announcer {
    guard let url = try reader.announcementURL else { return SilentAnnouncer() }
    return HTTPAnnouncer(client: try reader.httpClient, url: url)
}
