import ScopedInjection

private struct DiskIsFull: Error, CustomStringConvertible {
    var description: String { "the disk is full" }
}

extension ScopeValues {
    /// Needs a value that nobody has set.
    fileprivate static var client: ScopeValue<String> { .lazy { try "client with \($0.token)" } }
}

/// An error says what is missing, where it was searched, and what to do.
enum Errors: Lesson {
    static let title = "Errors"

    static func run(on page: Page) {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)

        page.say("value(for:) throws what a property would end the program with.")
        page.show("try request.value(for: \\.client)")
        do {
            _ = try request.value(for: \.client)
        } catch {
            page.quote(error)
        }

        page.say("validate names every value that is missing, at the start of the program.")
        app.provide(\.database) { _ in throw DiskIsFull() }
        page.show("app.provide(\\.database) { _ in throw DiskIsFull() }")
        page.show("try app.validate(\\.port, \\.notes, \\.token)")
        do {
            try app.validate(\.port, \.notes, \.token)
        } catch {
            page.quote(error)
        }

        page.say("A test can forbid defaults, so that it cannot reach the live world by accident.")
        let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        page.show("let test = EnvironmentScope.empty(\"test\", parent: nil, defaults: .forbidden)")
        page.show("try test.value(for: \\.database)")
        do {
            _ = try test.value(for: \.database)
        } catch {
            page.quote(error)
        }
    }
}
