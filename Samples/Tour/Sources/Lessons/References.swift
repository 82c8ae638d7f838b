import ScopedInjection

/// Names what it needs; where that comes from is decided when it is read.
private struct Handler: Sendable {
    @Injected(\.port) var port
    @Injected(\.user?.count) var lengthOfName
}

/// A class that is `Sendable` holds references as constants and calls them.
private final class Mailer: Sendable {
    let user = Injected(\.user)
    let handler = Handler()
}

/// References read from the current scope, or from one of their own.
enum References: Lesson {
    static let title = "References"

    static func run(on page: Page) {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let test = EnvironmentScope("test", parent: nil) { $0.port = 1 }
        let alice = EnvironmentScope("request", parent: app) { $0.user = "alice" }
        let handler = Handler()

        page.say("A reference reads from the scope that is current where it is read.")
        page.show("struct Handler { @Injected(\\.port) var port; @Injected(\\.user?.count) var lengthOfName }")
        page.show("let app = EnvironmentScope(\"app\", parent: nil) { $0.port = 9090 }")
        page.show("let test = EnvironmentScope(\"test\", parent: nil) { $0.port = 1 }")
        page.show("let alice = EnvironmentScope(\"request\", parent: app) { $0.user = \"alice\" }")
        page.show("app { handler.port }", app { handler.port })
        page.show("test { handler.port }", test { handler.port })
        page.show("alice { handler.lengthOfName }", alice { handler.lengthOfName } ?? 0)

        page.say("It can have a scope of its own; copies of the struct share it.")
        let copy = handler
        copy.$port.scope = test
        page.show("copy.$port.scope = test")
        page.show("app { handler.port }", app { handler.port })
        handler.$port.scope = nil
        page.show("handler.$port.scope = nil")
        page.show("app { copy.port }", app { copy.port })

        page.say("replace(in:) gives all references of an instance a scope, and says how many it found.")
        let mailer = Mailer()
        page.show("class Mailer { let user = Injected(\\.user); let handler = Handler() }")
        page.show("alice.replace(in: mailer)", alice.replace(in: mailer))
        page.show("mailer.user()", mailer.user() ?? "nil")
        page.show("test { mailer.handler.port }", test { mailer.handler.port })

        page.say("With .nested it goes on into stored properties.")
        page.show("alice.replace(in: mailer, options: .nested)", alice.replace(in: mailer, options: .nested))
        page.show("test { mailer.handler.port }", test { mailer.handler.port })
    }
}
