import ScopedInjection

/// Cleanups run last first, once, with the scope that keeps the value.
enum Closing: Lesson {
    static let title = "Closing"

    static func run(on page: Page) async {
        page.say("What a builder opens, it can have closed with the scope that keeps the value.")
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.database) { reader in
            let database = try Database(path: reader.databasePath)
            reader.onClose { page.quote("closing \(database.path)") }
            return database
        }
        page.show("app.provide(\\.database) { reader in … reader.onClose { … } … }")
        page.show("app.database.path", app.database.path)

        page.say("A child scope for one operation is closed at its end, even if that throws or is cancelled.")
        page.show("let isShared = await app.withChild(\"request\") { … } operation: { … }")
        let isShared = await app.withChild("request") {
            $0.databasePath = "request.db"
        } operation: {
            page.quote("using \(EnvironmentScope.current.database.path)")
            return EnvironmentScope.current.database === app.database
        }
        page.show("isShared", isShared)

        page.say("Cleanups run last first, and each to its end.")
        app.onClose { page.quote("stopping the server") }
        page.show("app.onClose { … }")
        page.show("await app.close()")
        await app.close()
        page.show("app.isClosed", app.isClosed)

        page.say("What is set in a closed scope can still be read; what would have to be kept in it is an error.")
        app.port = 9090
        page.show("app.port = 9090")
        page.show("app.port", app.port)
        do {
            _ = try app.value(for: \.database)
        } catch {
            page.show("try app.value(for: \\.database)", ".\(error.code)")
        }
    }
}
