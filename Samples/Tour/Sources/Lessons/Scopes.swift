import ScopedInjection

/// What a scope does not say itself, its parent says for it.
enum Scopes: Lesson {
    static let title = "Scopes"

    static func run(on page: Page) {
        page.say("A scope without a value of its own asks its parent. Where no scope has one, the default counts.")
        let app = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let request = EnvironmentScope("request", parent: app) { $0.user = "alice" }
        page.show("let app = EnvironmentScope(\"app\", parent: nil) { $0.port = 9090 }")
        page.show("let request = EnvironmentScope(\"request\", parent: app) { $0.user = \"alice\" }")
        page.show("request.port", request.port)
        page.show("request.databasePath", request.databasePath)
        page.show("request.user", request.user ?? "nil")
        page.show("app.user", app.user ?? "nil")

        page.say("A value that is set in a scope counts there and in the scopes below it, and nowhere else.")
        request.port = 1
        page.show("request.port = 1")
        page.show("request.port", request.port)
        page.show("app.port", app.port)

        page.say("Without the override the parent's value is back, and follows the parent.")
        request.removeValue(for: \.port)
        app.port = 7070
        page.show("request.removeValue(for: \\.port)")
        page.show("app.port = 7070")
        page.show("request.port", request.port)

        page.say("A scope describes itself by its name and those of the scopes that it gets values from.")
        page.show("request", request)
    }
}
