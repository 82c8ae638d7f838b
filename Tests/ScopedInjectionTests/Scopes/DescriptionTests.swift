import ScopedInjection
import Testing

private enum LevelKey: ScopeKey { typealias Value = Level }
private struct Level: Sendable, ScopeDescribable { let scopeDescription: String }
private enum BuiltKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product(scope.host) }
}

@Suite("Descriptions of scopes")
struct DescriptionTests {
    let app = EnvironmentScope.empty("app", parent: nil)
    let request: EnvironmentScope

    init() { request = .empty("request", parent: app) }

    @Test("The description is the chain, on one line")
    func description() {
        #expect("\(request)" == #"EnvironmentScope("request" → "app")"#)
        #expect("\(EnvironmentScope.empty(parent: nil))" == "EnvironmentScope(unnamed scope)")
    }

    @Test("The debug description has every scope with its values by name, and shows no secret value")
    func debugDescription() async {
        app.token = Token(text: "secret")
        app[LevelKey.self] = Level(scopeDescription: "info")
        let line: UInt = #line + 1
        app.provide(HostKey.self) { _ in "db.local" }
        _ = app[BuiltKey.self]
        request.port = 1
        await request.close()
        #expect(
            request.debugDescription == """
                EnvironmentScope("request" → "app")
                  "request" (closed)
                    PortKey: set, Int
                  "app"
                    BuiltKey: kept, Product
                    HostKey: kept, String
                    HostKey: provided at ScopedInjectionTests/DescriptionTests.swift:\(line)
                    LevelKey: set, Level: info
                    TokenKey: set, Token
                """
        )
    }

    @Test("A parent that is gone is shown as gone")
    func gone() {
        let orphan = EnvironmentScope.empty("orphan", parent: .empty("parent", parent: nil))
        #expect("\(orphan)" == #"EnvironmentScope("orphan" → "parent" (gone))"#)
        #expect(orphan.debugDescription.hasSuffix("\n  \"parent\" (gone)"))
    }

    @Test("The mirror, for debuggers and dump, has the name, the parents and the keys")
    func mirror() {
        request.port = 1
        request.token = Token(text: "secret")
        var text = ""
        dump(request, to: &text)
        #expect(text.contains("request"))
        #expect(text.contains("\"app\""))
        #expect(text.contains("PortKey"))
        #expect(!text.contains("secret"))
        #expect(Mirror(reflecting: request).children.compactMap(\.label) == ["name", "parents", "values"])
    }

    @Test("The description of a value may use the scope that is being described")
    func reentrant() {
        app[CuriousKey.self] = Curious(scope: Box(nil))
        app[CuriousKey.self].scope.value = app
        #expect(app.debugDescription.contains("CuriousKey: set, Curious: saw 8080"))
        app[CuriousKey.self].scope.value = nil
    }
}

private struct Curious: Sendable, ScopeDescribable {
    let scope: Box<EnvironmentScope?>
    var scopeDescription: String { "saw \(scope.value?.port ?? 0)" }
}
private enum CuriousKey: ScopeKey { typealias Value = Curious }
