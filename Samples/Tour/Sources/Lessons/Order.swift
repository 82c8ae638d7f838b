import ScopedInjection

/// What a read gives depends on what is set, not on when what was read.
enum Order: Lesson {
    static let title = "Order does not matter"

    static func run(on page: Page) {
        page.say("Set and then read, or read and then set: what is set decides, not when it was set.")
        let early = EnvironmentScope("early", parent: nil) { $0.databasePath = "b.db" }
        page.show("let early = EnvironmentScope(\"early\", parent: nil) { $0.databasePath = \"b.db\" }")
        page.show("early.notes.database.path", early.notes.database.path)

        let late = EnvironmentScope("late", parent: nil) { $0.databasePath = "a.db" }
        page.show("let late = EnvironmentScope(\"late\", parent: nil) { $0.databasePath = \"a.db\" }")
        page.show("late.notes.database.path", late.notes.database.path)
        late.databasePath = "b.db"
        page.show("late.databasePath = \"b.db\"")
        page.show("late.notes.database.path", late.notes.database.path)

        page.say("A value that was set outright is never rebuilt.")
        late.database = Database(path: "fixed.db")
        page.show("late.database = Database(path: \"fixed.db\")")
        late.databasePath = "c.db"
        page.show("late.databasePath = \"c.db\"")
        page.show("late.notes.database.path", late.notes.database.path)
    }
}
