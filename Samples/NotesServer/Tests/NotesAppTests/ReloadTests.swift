import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import Logging
import NotesApp
import ScopedInjection
import Synchronization
import Testing

@Suite struct ReloadTests {
    private let log = InMemoryLogHandler()

    @Test func requestsGetTheNewSettings() async throws {
        try await withSettings(#"{"request-timeout": "60"}"#) { scope, write in
            try await withServer(.ahc(), in: scope, probe: timeout) { client in
                #expect(try await client.send(.post, "/probe", as: .alice).body == "60.0 seconds")
                try write(#"{"request-timeout": "90"}"#)
                await scope.reloadSettings()
                #expect(try await client.send(.post, "/probe", as: .alice).body == "90.0 seconds")
            }
        }
        #expect(log.entries.contains { $0.message == "settings read again" })
    }

    @Test(arguments: [
        (#""retention-days": "0""#, "NOTES_RETENTION_DAYS must be a number of days from 1 to 36500, not '0'."),
        (#""retention-days": 7"#, "NOTES_SETTINGS_FILE must be a JSON object of texts, which"),
    ])
    func aBadValueChangesNothingAndIsLogged(bad: String, reason: String) async throws {
        try await withSettings(#"{"request-timeout": "60"}"#) { scope, write in
            try await withServer(.ahc(), in: scope, probe: timeout) { client in
                try write(#"{"request-timeout": "90", \#(bad)}"#)
                await scope.reloadSettings()
                #expect(try await client.send(.post, "/probe", as: .alice).body == "60.0 seconds")
            }
        }
        let entry = try #require(log.entries.first { $0.message == "settings not changed" })
        #expect(entry.level == .error)
        #expect(entry.metadata["reasons"]?.description.hasPrefix(reason) == true)
    }

    @Test func aRequestUnderWayGoesOnInItsTransaction() async throws {
        let hasWritten = Gate()
        let mayEnd = Gate()
        let handler: ProbeHandler = { _, _ in
            let scope = EnvironmentScope.current
            let (transaction, timeout) = (scope.transaction, scope.requestTimeout)
            _ = try await scope.noteStore.createNote(NoteText("one"), for: scope.user)
            hasWritten.open()
            try await mayEnd.wait()
            _ = try await scope.noteStore.createNote(NoteText("two"), for: scope.user)
            return "\(scope.transaction === transaction), \(timeout) and \(scope.requestTimeout)"
        }
        try await withSettings(#"{"request-timeout": "60"}"#) { scope, write in
            try await withServer(.ahc(), in: scope, probe: handler) { client in
                async let answer = client.send(.post, "/probe", as: .alice)
                try await hasWritten.wait()
                try write(#"{"request-timeout": "90"}"#)
                await scope.reloadSettings()
                mayEnd.open()
                #expect(try await answer.body == "true, 60.0 seconds and 90.0 seconds")
                #expect(try await client.list(as: .alice).map(\.text) == ["one", "two"])
            }
        }
    }

    @Test func whatIsBuiltFromOtherSettingsStays() async throws {
        try await withSettings(#"{"request-timeout": "60"}"#) { scope, write in
            let events = Mutex<[String]>([])
            try await withServer(.ahc(), in: scope, probe: timeout) { client in
                #expect(try await client.create("one", as: .alice).status == 201)
                scope.observe { event in
                    let isOfDatabase = event.name == "database" || event.name == "noteStore"
                    if event.kind == .discarded || isOfDatabase { events.withLock { $0.append("\(event)") } }
                }
                for text in [#"{"request-timeout": "60"}"#, #"{"request-timeout": "90", "retention-days": "9"}"#] {
                    try write(text)
                    await scope.reloadSettings()
                    #expect(try await client.create("more", as: .alice).status == 201)
                }
                #expect(scope.requestTimeout == .seconds(90) && scope.retention != nil)
                let built = events.withLock { $0 }
                #expect(built.allSatisfy { !$0.contains("database") && !$0.contains("announcer") }, "\(built)")
            }
        }
    }

    private let timeout: ProbeHandler = { _, _ in "\(EnvironmentScope.current.requestTimeout)" }

    /// Runs a test with a scope that has its settings from a file, and what writes another one.
    private func withSettings(
        _ text: String,
        _ test: (EnvironmentScope, _ write: @Sendable (String) throws -> Void) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "settings.json")
            let write: @Sendable (String) throws -> Void = { try Data($0.utf8).write(to: file) }
            try write(text)
            let scope = makeTestScope { scope in
                scope.logger = .inMemory(log)
                scope.provideSettings {
                    let options = ["settings-file": file.path, "database-folder": directory.path]
                    return try Settings(liveConfiguration(options: options, environment: [:]))
                }
            }
            try await test(scope, write)
        }
    }
}
