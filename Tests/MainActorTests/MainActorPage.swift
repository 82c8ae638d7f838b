import Observation
import ScopedInjection
import Testing

nonisolated extension ScopeValues {
    static var databasePath: ScopeValue<String> { .value("notes.db") }
    static var database: ScopeValue<any Database> { .lazy { try SQLite(path: $0.databasePath) } }
    static var user: ScopeValue<User?> { .optional() }
}

nonisolated struct User: Sendable { var name: String }

nonisolated protocol Database: AnyObject, Sendable { var path: String { get } }

nonisolated final class SQLite: Database {
    let path: String
    init(path: String) throws { self.path = path }
}

@Observable
final class NotesModel {
    @ObservationIgnored @Injected(\.database) var database
    @ObservationIgnored @Injected(\.user?.name) var userName
    private(set) var title = ""

    func load() { title = "\(userName ?? "nobody") reads \(database.path)" }

    func reload() async {
        await Task.yield()
        load()
    }
}

@MainActor
final class Window {
    private(set) var title: String
    init(title: String) { self.title = title }
}

nonisolated extension ScopeValues {
    static var window: ScopeValue<Window> { .required() }
    static var preferences: ScopeValue<Preferences> { .lazy { _ in Preferences() } }
    static var player: ScopeValue<Deferred<Player>> {
        .lazy {
            let path = try $0.databasePath
            return Deferred { await Player(path: path) }
        }
    }
}

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

@Suite("Documentation: the main actor")
struct MainActorPage {
    @Test("A model reads in the scope that is entered, also after it has waited")
    func model() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let model = app { NotesModel() }
        app { model.load() }
        #expect(model.title == "nobody reads live.db")

        await app.withChild("window") {
            $0.user = User(name: "Ada")
        } operation: {
            await model.reload()
        }
        #expect(model.title == "Ada reads live.db")
    }

    @Test("A call that enters the scope, and a model that is bound to it, read in it wherever they are called")
    func bound() {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let model = NotesModel()
        let onAppear = { app { model.load() } }
        onAppear()
        #expect(model.title == "nobody reads live.db")

        let other = NotesModel()
        app.replace(in: other)
        other.load()
        #expect(other.title == "nobody reads live.db")
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
}
