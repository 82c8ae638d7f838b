import ScopedInjection

/// A value lives where its inputs live.
enum Building: Lesson {
    static let title = "Values that are built"

    static func run(on page: Page) {
        page.say("A value that is built is kept where its inputs are: here in the application, for all requests.")
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let first = EnvironmentScope.empty("first", parent: app)
        let second = EnvironmentScope.empty("second", parent: app)
        page.show("let app = EnvironmentScope(\"app\", parent: nil) { $0.databasePath = \"live.db\" }")
        page.show("let first = EnvironmentScope.empty(\"first\", parent: app)")
        page.show("let second = EnvironmentScope.empty(\"second\", parent: app)")
        page.show("first.notes === second.notes", first.notes === second.notes)
        page.show("first.notes.database.path", first.notes.database.path)
        page.show("first.localValue(for: \\.notes) == nil", first.localValue(for: \.notes) == nil)
        page.show("app.localValue(for: \\.notes) == nil", app.localValue(for: \.notes) == nil)

        page.say("Where an input is overridden, everything that was built from it is built anew, there and only there.")
        second.databasePath = "copy.db"
        page.show("second.databasePath = \"copy.db\"")
        page.show("second.notes.database.path", second.notes.database.path)
        page.show("first.notes.database.path", first.notes.database.path)
        page.show("first.notes === app.notes", first.notes === app.notes)

        page.say("An override that is no input changes nothing: the request still shares what the application has.")
        first.user = "alice"
        page.show("first.user = \"alice\"")
        page.show("first.notes === app.notes", first.notes === app.notes)

        page.say("Without the override the shared value is found again.")
        second.removeValue(for: \.databasePath)
        page.show("second.removeValue(for: \\.databasePath)")
        page.show("second.notes === app.notes", second.notes === app.notes)

        page.say("A scope can be given a builder of its own; it reads its inputs as the scope that asks sees them.")
        app.provide(\.database) { try Database(path: "memory of \($0.user ?? "nobody")") }
        page.show("app.provide(\\.database) { try Database(path: … $0.user …) }")
        page.show("first.notes.database.path", first.notes.database.path)
        page.show("second.notes.database.path", second.notes.database.path)
    }
}
