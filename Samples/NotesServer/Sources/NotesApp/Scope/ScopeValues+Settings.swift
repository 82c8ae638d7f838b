package import Configuration
import Foundation
package import Logging
package import ScopedInjection

// What is read from the configuration. The names stand in texts and metrics.

extension ScopeValues {
    /// Where settings are read from.
    ///
    /// It has no default: only the live application reads settings; a test sets values.
    package static let configuration = ScopeValue<ConfigReader>.required(name: "configuration")

    /// The address to listen on.
    package static let hostname = ScopeValue<String>(name: "hostname") { scope in
        try scope.value(for: \.configuration)
            .setting(["hostname"], mustBe: "an address") { $0.isEmpty ? nil : $0 } ?? "127.0.0.1"
    }

    /// The port to listen on; 0 for any that is free.
    package static let port = ScopeValue<Int>(name: "port") { scope in
        try scope.value(for: \.configuration)
            .setting(["port"], mustBe: "a number from 0 to 65535") {
                Int($0).flatMap { (0...65_535).contains($0) ? $0 : nil }
            } ?? 8080
    }

    /// How long a request may take before it is cancelled.
    package static let requestTimeout = ScopeValue<Duration>(name: "requestTimeout") { scope in
        try scope.value(for: \.configuration)
            .setting(["request", "timeout"], mustBe: "a number of seconds from 1 to 3600") {
                Int($0).flatMap { (1...3600).contains($0) ? .seconds($0) : nil }
            } ?? .seconds(10)
    }

    /// How long notes are kept; nil for ever.
    package static let retention = ScopeValue<Duration?>(name: "retention") { scope in
        try scope.value(for: \.configuration)
            .setting(["retention", "days"], mustBe: "a number of days from 1 to 36500") {
                Int($0).flatMap { (1...36_500).contains($0) ? .seconds($0 * 24 * 60 * 60) : nil }
            }
    }

    /// From which level on lines are written to the log.
    package static let logLevel = ScopeValue<Logger.Level>(name: "logLevel") { scope in
        try scope.value(for: \.configuration)
            .setting(["log", "level"], mustBe: "trace, debug, info, notice, warning, error or critical") {
                Logger.Level(rawValue: $0)
            } ?? .info
    }

    /// The folder that holds the databases of the tenants.
    package static let databaseFolder = ScopeValue<String>(name: "databaseFolder") { scope in
        try scope.value(for: \.configuration)
            .requiredSetting(["database", "folder"], meaning: "the folder that holds the databases")
    }

    /// Where new notes are announced; nil where nobody wants to know.
    package static let announcementURL = ScopeValue<String?>(name: "announcementURL") { scope in
        try scope.value(for: \.configuration)
            .setting(["announcement", "url"], mustBe: "the URL of a service") { text in
                URL(string: text).flatMap { ["http", "https"].contains($0.scheme) && $0.host != nil ? text : nil }
            }
    }

    /// Who may use the server.
    package static let accounts = ScopeValue<Accounts>(name: "accounts") { scope in
        let path = try scope.value(for: \.configuration)
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
