import Configuration
import Foundation
import Logging

/// The settings of the server, one by one.
extension ConfigReader {
    /// The address to listen on.
    func hostname() throws(SettingError) -> String {
        try setting(["hostname"], mustBe: "an address") { $0.isEmpty ? nil : $0 } ?? "127.0.0.1"
    }

    /// The port to listen on; 0 for any that is free.
    func port() throws(SettingError) -> Int {
        try setting(["port"], mustBe: "a number from 0 to 65535") {
            Int($0).flatMap { (0...65_535).contains($0) ? $0 : nil }
        } ?? 8080
    }

    /// How long a request may take before it is cancelled.
    func requestTimeout() throws(SettingError) -> Duration {
        try setting(["request", "timeout"], mustBe: "a number of seconds from 1 to 3600") {
            Int($0).flatMap { (1...3600).contains($0) ? .seconds($0) : nil }
        } ?? .seconds(10)
    }

    /// How long notes are kept; nil for ever.
    func retention() throws(SettingError) -> Duration? {
        try setting(["retention", "days"], mustBe: "a number of days from 1 to 36500") {
            Int($0).flatMap { (1...36_500).contains($0) ? .seconds($0 * 24 * 60 * 60) : nil }
        }
    }

    /// Where new notes are announced; nil where nobody wants to know.
    func announcementURL() throws(SettingError) -> String? {
        try setting(["announcement", "url"], mustBe: "the URL of a service") { text in
            URL(string: text).flatMap { ["http", "https"].contains($0.scheme) && $0.host != nil ? text : nil }
        }
    }

    /// The JSON file that says who may use the server; nil for a demonstration.
    func accountsFile() throws(SettingError) -> String? {
        try setting(["accounts", "file"], mustBe: "the path of a file") { $0.isEmpty ? nil : $0 }
    }

    /// The JSON file of further settings, which is read again when the server is told to; nil for none.
    func settingsFile() throws(SettingError) -> String? {
        try setting(["settings", "file"], mustBe: "the path of a file") { $0.isEmpty ? nil : $0 }
    }

    /// The folder that holds the databases; where none is set, one in the working directory, which is made.
    ///
    /// A folder that is set is not made: where it is missing, a disk may not be mounted, or the path may be mistyped.
    ///
    /// - Throws: ``SettingError`` where it is missing
    func databaseFolder() throws(SettingError) -> String {
        let set = try setting(["database", "folder"], mustBe: "the path of a folder") { $0.isEmpty ? nil : $0 }
        if let set {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: set, isDirectory: &isFolder), isFolder.boolValue else {
                throw SettingError(
                    variable: "NOTES_DATABASE_FOLDER",
                    problem: "must be the path of a folder that exists, not '\(set)'."
                )
            }
            return set
        }
        let folder = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: "notes-databases")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw SettingError(
                variable: "NOTES_DATABASE_FOLDER",
                problem: "is missing, and '\(folder.path)' cannot be made."
            )
        }
        return folder.path
    }

    /// From which level on lines are written to the log.
    func logLevel() throws(SettingError) -> Logger.Level {
        try setting(["log", "level"], mustBe: "trace, debug, info, notice, warning, error or critical") {
            Logger.Level(rawValue: $0)
        } ?? .info
    }
}
