import Dispatch
import Observation
import ScopedInjection
import Testing

// ⟨MainActor.md: static var user⟩

nonisolated extension ScopeValues {
    static var databasePath: ScopeValue<String> { .value("notes.db") }
    static var database: ScopeValue<any Database> { .lazy { try SQLite(path: $0.databasePath) } }
}

nonisolated protocol Database: AnyObject, Sendable { var path: String { get } }

nonisolated final class SQLite: Database {
    let path: String
    init(path: String) throws { self.path = path }
}

// ⟨MainActor.md: @Observable⟩

@MainActor
final class Window {
    private(set) var title: String
    init(title: String) { self.title = title }
}

// ⟨MainActor.md: static var window⟩

@MainActor
final class Preferences {
    var fontSize = 12
    nonisolated init() {}
}

@MainActor
final class Player {
    let path: String
    init(path: String) { self.path = path }
}

nonisolated private func isOnMain() -> Bool { DispatchQueue.getSpecific(key: mainKey) ?? false }

nonisolated private let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

private func open(in app: EnvironmentScope, isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await app.withChild("window") {
        _ = isolation
        return isOnMain()
    }
}

nonisolated private func leave(in app: EnvironmentScope) async -> Bool {
    await app.withChild("window") { isOnMain() }
}

private func stay(in app: EnvironmentScope) async -> Bool {
    await app.withChild("window") { isOnMain() }
}

@Suite("Documentation: the main actor")
struct MainActorPage {
    @Test("A call that enters the scope, and a model that is bound to it, read in it wherever they are called")
    func bound() {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let model = NotesModel()
        // ⟨MainActor.md: let onAppear⟩
    }

    @Test("Values may live on the main actor")
    func values() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.window = Window(title: "Notes") }
        #expect(app.window.title == "Notes")
        app.preferences.fontSize = 14
        #expect(app.preferences.fontSize == 14)
        let player = try await app.player()
        #expect(player.path == "notes.db")
    }

    @Test("A body stays where it is written, and in a function of no actor where it uses the isolation")
    func bodies() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        #expect(isOnMain())
        #expect(await stay(in: app))
        #expect(await open(in: app))
        #expect(await !leave(in: app))
    }
}
