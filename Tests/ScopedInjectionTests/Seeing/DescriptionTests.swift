import ScopedInjection
import Testing

private struct Level: Sendable, ScopeDescribable { let scopeDescription: String }

extension ScopeValues {
    fileprivate static var level: ScopeValue<Level> { .required() }
    fileprivate static let lineOfBuilt = #line + 1
    fileprivate static var built: ScopeValue<Product> { .lazy { Product(try $0.host) } }
    fileprivate static var curious: ScopeValue<Curious> { .required() }
}

@Suite("Descriptions of scopes", .programRoots)
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
        app.level = Level(scopeDescription: "info")
        let (place, lineOfBuilt) = ("ScopedInjectionTests/DescriptionTests.swift", ScopeValues.lineOfBuilt)
        let line: UInt = #line + 1
        app.provide(\.host) { _ in "db.local" }
        _ = app.built
        request.port = 1
        await request.close()
        #expect(
            request.debugDescription == """
                EnvironmentScope("request" → "app")
                  "request" (closed)
                    port (Int): set in "request"
                  "app"
                    built (Product): its own default (\(place):\(lineOfBuilt)), built and kept in "app"
                    host (String): provided in "app" (\(place):\(line)), built and kept in "app"
                    level (Level): set in "app": info
                    token (Token): set in "app"
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
        #expect(text.contains("port"))
        #expect(!text.contains("secret"))
        #expect(Mirror(reflecting: request).children.compactMap(\.label) == ["name", "parents", "values"])
    }

    @Test("The description of a value may use the scope that is being described")
    func reentrant() {
        app.curious = Curious(scope: Box(nil))
        app.curious.scope.value = app
        #expect(app.debugDescription.contains("curious (Curious): set in \"app\": saw 8080"))
        app.curious.scope.value = nil
    }
}

private struct Curious: Sendable, ScopeDescribable {
    let scope: Box<EnvironmentScope?>
    var scopeDescription: String { "saw \(scope.value?.port ?? 0)" }
}
