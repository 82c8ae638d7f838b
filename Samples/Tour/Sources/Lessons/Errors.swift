import ScopedInjection

private struct DiskIsFull: Error, CustomStringConvertible {
    var description: String { "the disk is full" }
}

/// Needs a value that nobody has set.
private enum ClientKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> String {
        "client with \(try scope.value(for: TokenKey.self))"
    }
}

/// An error says what is missing, where it was searched, and what to do.
enum Errors: Lesson {
    static let title = "Errors"

    static func run(on page: Page) {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)

        page.say("value(for:) throws what a property would end the program with.")
        page.show("try request.value(for: ClientKey.self)")
        do {
            _ = try request.value(for: ClientKey.self)
        } catch {
            page.quote(error)
        }

        page.say("validate names every value that is missing, at the start of the program.")
        app.provide(DatabaseKey.self) { _ in throw DiskIsFull() }
        page.show("app.provide(DatabaseKey.self) { _ in throw DiskIsFull() }")
        page.show("try app.validate(PortKey.self, NotesKey.self, TokenKey.self)")
        do {
            try app.validate(PortKey.self, NotesKey.self, TokenKey.self)
        } catch {
            page.quote(error)
        }

        page.say("A test can forbid defaults, so that it cannot reach the live world by accident.")
        let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        page.show("let test = EnvironmentScope.empty(\"test\", parent: nil, defaults: .forbidden)")
        page.show("try test.value(for: DatabaseKey.self)")
        do {
            _ = try test.value(for: DatabaseKey.self)
        } catch {
            page.quote(error)
        }
    }
}
