import Foundation
import Logging
import NotesApp
import ScopedInjection
import Testing

@Suite struct SettingsTests {
    @Test func settingsHaveDefaults() {
        let scope = makeApplicationScope()
        #expect(scope.hostname == "127.0.0.1")
        #expect(scope.port == 8080)
        #expect(scope.requestTimeout == .seconds(10))
        #expect(scope.retention == nil)
        #expect(scope.announcementURL == nil)
        #expect(scope.logger.logLevel == .info)
    }

    @Test func theCommandLineGoesBeforeTheEnvironment() {
        let scope = makeApplicationScope(
            options: ["port": "1", "log-level": "debug"],
            environment: [
                "NOTES_PORT": "2", "NOTES_HOSTNAME": "localhost", "NOTES_REQUEST_TIMEOUT": "3", "PORT": "4",
                "NOTES_RETENTION_DAYS": "2", "NOTES_ANNOUNCEMENT_URL": "http://localhost:9",
            ]
        )
        #expect(scope.port == 1)
        #expect(scope.logger.logLevel == .debug)
        #expect(scope.hostname == "localhost")
        #expect(scope.requestTimeout == .seconds(3))
        #expect(scope.retention == .seconds(2 * 24 * 60 * 60))
        #expect(scope.announcementURL == "http://localhost:9")
    }

    @Test func everythingThatIsWrongIsReportedAtOnce() async {
        let scope = makeApplicationScope(
            options: ["port": "99999"],
            environment: [
                "NOTES_HOSTNAME": "", "NOTES_REQUEST_TIMEOUT": "soon", "NOTES_RETENTION_DAYS": "0",
                "NOTES_ANNOUNCEMENT_URL": "somewhere", "NOTES_LOG_LEVEL": "loud", "NOTES_DATABASE_FOLDER": "",
            ]
        )
        let error = await #expect(throws: StartError.self) { try await scope.checkAtStart() }
        #expect(
            error?.description == """
                The server cannot start:
                - NOTES_HOSTNAME must be an address, not ''.
                - NOTES_PORT must be a number from 0 to 65535, not '99999'.
                - NOTES_LOG_LEVEL must be trace, debug, info, notice, warning, error or critical, not 'loud'.
                - NOTES_REQUEST_TIMEOUT must be a number of seconds from 1 to 3600, not 'soon'.
                - NOTES_RETENTION_DAYS must be a number of days from 1 to 36500, not '0'.
                - NOTES_ANNOUNCEMENT_URL must be the URL of a service, not 'somewhere'.
                - NOTES_DATABASE_FOLDER must be the path of a folder, not ''.
                """
        )
        await scope.close()
    }

    @Test func theSettingsFileGoesLast() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "settings.json")
            try Data(#"{"port": "1", "hostname": "file", "request-timeout": "3"}"#.utf8).write(to: file)
            let scope = makeApplicationScope(
                options: ["settings-file": file.path, "port": "2"],
                environment: ["NOTES_HOSTNAME": "environment"]
            )
            #expect(scope.port == 2)
            #expect(scope.hostname == "environment")
            #expect(scope.requestTimeout == .seconds(3))
        }
    }

    @Test func aSettingsFileThatCannotBeReadIsNamedAsTheReason() async throws {
        let scope = makeApplicationScope(options: ["settings-file": "nowhere"])
        let error = await #expect(throws: StartError.self) { try await scope.checkAtStart() }
        #expect(error?.reasons == ["NOTES_SETTINGS_FILE cannot be read: 'nowhere'."])
        await scope.close()
    }

    @Test func aDatabaseFolderThatIsMissingIsNamedAsTheReason() async throws {
        let scope = makeApplicationScope(options: ["database-folder": "/nowhere"])
        let error = await #expect(throws: StartError.self) { try await scope.checkAtStart() }
        #expect(
            error?.description == """
                The server cannot start:
                - NOTES_DATABASE_FOLDER must be the path of a folder that exists, not '/nowhere'.
                """
        )
        await scope.close()
    }

    @Test func theDatabasesOfAllTenantsAreTriedAtTheStart() async throws {
        try await withTemporaryDirectory { directory in
            let accounts = directory.appending(path: "accounts.json")
            let digest = String(repeating: "0", count: 64)
            try Data(
                """
                [{"user": "alice", "tenant": "north", "tokenSHA256": "\(digest)"},
                 {"user": "alice", "tenant": "south", "tokenSHA256": "\(digest)"}]
                """.utf8
            ).write(to: accounts)
            let databases = ["north", "south"].map { directory.appending(path: "\($0).db") }
            for folder in databases {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            }
            let scope = makeApplicationScope(
                options: ["accounts-file": accounts.path, "database-folder": directory.path]
            )
            let error = await #expect(throws: StartError.self) { _ = try await makeNotesApplication(in: scope) }
            let reasons = try #require(error?.reasons)
            #expect(reasons.count == 2)
            #expect(reasons[0].hasPrefix("The database '\(databases[0].path)' cannot be opened: "))
            #expect(reasons[1].hasPrefix("The database '\(databases[1].path)' cannot be opened: "))
            await scope.close()
        }
    }

    @Test(arguments: ["0.0.0.0", "localhost", "::1", "127.0.0.2"])
    func withoutAccountsTheServerIsForThisMachineOnly(hostname: String) async throws {
        let options = ["hostname": hostname, "database-folder": "/"]
        let scope = makeApplicationScope(options: options)
        let error = await #expect(throws: StartError.self) { try await scope.checkAtStart() }
        #expect(
            error?.description == """
                The server cannot start:
                - NOTES_ACCOUNTS_FILE is missing: without accounts the server listens on 127.0.0.1 only, \
                not on '\(hostname)'.
                """
        )
        await scope.close()
    }

    @Test func withoutAccountsTheDemonstrationsTokensWork() async throws {
        let scope = makeApplicationScope(options: ["database-folder": "/"])
        let tenants = ["alice-north-secret", "bob-north-secret", "alice-south-secret"].map {
            scope.accounts.account(forToken: $0)?.tenant.name
        }
        #expect(tenants == ["north", "north", "south"])
        #expect(scope.accounts.account(forToken: "alice-secret") == nil)
        await scope.close()
    }

    /// What a test forgets to provide is an error, and not a file of the live server's.
    @Test func aScopeWithoutADatabaseIsFoundOutAtTheStart() async throws {
        let scope = makeTestScope { $0.removeValue(for: \.database) }
        let error = await #expect(throws: StartError.self) { _ = try await makeNotesApplication(in: scope) }
        #expect(error?.description.contains("No value for database (NotesDatabase)") == true)
        await scope.close()
    }

    @Test func whatTheFirstRequestWouldLackIsFoundOutAtTheStart() async {
        let scope = makeTestScope {
            $0.provide(\.noteStore) { throw NoStore(description: "There is no store for \(try $0.user).") }
        }
        let error = await #expect(throws: StartError.self) { try await scope.checkAtStart() }
        #expect(error?.reasons == ["There is no store for example."])
        await scope.close()
    }

    private struct NoStore: Error, CustomStringConvertible { let description: String }
}
