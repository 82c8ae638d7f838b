import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var level: ScopeValue<Int> { .required() }
    fileprivate static let lineOfBuilt = #line + 1
    fileprivate static var built: ScopeValue<Product> { .lazy { Product(try $0.host) } }
}

@Suite("Descriptions of scopes", .programRoots)
struct DescriptionTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)

    init() { (app, request) = makeScopes() }

    @Test("The description is the chain, on one line") func description() {
        #expect("\(request)" == #"EnvironmentScope("request" → "app")"#)
        #expect("\(EnvironmentScope.empty(parent: nil))" == "EnvironmentScope(unnamed scope)")
    }

    @Test("The debug description has every scope with its values by name, and shows no secret value")
    func debugDescription() async {
        app.token = Token(text: "secret")
        app.level = 3
        let (place, lineOfBuilt) = ("ScopedInjectionTests/DescriptionTests.swift", ScopeValues.lineOfBuilt)
        let line: UInt = #line + 1
        app.provide(\.host) { _ in "db.local" }
        _ = app.built
        request.port = 1
        await request.close()
        let text = """
            EnvironmentScope("request" → "app")
              "request" (closed)
                port (Int): set in "request": 1
              "app"
                built (Product): its own default (\(place):\(lineOfBuilt)), built and kept in "app"
                host (String): provided in "app" (\(place):\(line)), built and kept in "app"
                level (Int): set in "app": 3
                token (Token): set in "app"
            """
        #expect(request.debugDescription == text)
    }

    @Test("A parent that is gone is shown as gone") func gone() {
        let orphan = EnvironmentScope.empty("orphan", parent: .empty("parent", parent: nil))
        #expect("\(orphan)" == #"EnvironmentScope("orphan" → "parent" (gone))"#)
        #expect(orphan.debugDescription.hasSuffix("\n  \"parent\" (gone)"))
    }
}
