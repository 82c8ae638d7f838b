import Foundation
package import ScopedInjection

/// Who may use the server.
package enum AccountsKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> Accounts {
        let path = try scope.value(for: ConfigurationKey.self)
            .requiredSetting(["accounts", "file"], meaning: "the JSON file that says who may use the server")
        do {
            return try Accounts(json: Data(contentsOf: URL(filePath: path)))
        } catch let error as AccountsError {
            throw SettingError(variable: "NOTES_ACCOUNTS_FILE", problem: "cannot be used: in '\(path)', \(error).")
        } catch {
            throw SettingError(variable: "NOTES_ACCOUNTS_FILE", problem: "cannot be read: '\(path)'.")
        }
    }
}

extension EnvironmentScope {
    /// Who may use the server.
    package var accounts: Accounts {
        get { self[AccountsKey.self] }
        set { self[AccountsKey.self] = newValue }
    }
}
