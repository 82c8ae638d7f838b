import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var limits: ScopeValue<Int> { .value(10) }
    fileprivate static var requestID: ScopeValue<String> { .value("none") }
    fileprivate static let lineOfLabel = #line + 1
    fileprivate static var label: ScopeValue<String> { .lazy { "request \(try $0.requestID)" } }
    fileprivate static var pool: ScopeValue<Product> { .lazy { Product("\(try $0.label), \(try $0.limits)") } }
    fileprivate static var alone: ScopeValue<Product> { .lazy { _ in Product("alone") } }
    fileprivate static var cart: ScopeValue<Product> { .lazy(.once(in: .request)) { _ in Product("cart") } }
    fileprivate static var bill: ScopeValue<Product> { .lazy { Product("bill of \(try $0.cart.text)") } }
    fileprivate static var receipt: ScopeValue<Product> { .lazy { Product("receipt of \(try $0.bill.text)") } }
    fileprivate static var cleaned: ScopeValue<Int> { .lazy { $0.withCleanup(1) } }
    fileprivate static var brave: ScopeValue<Int> { .lazy { (try? $0.cleaned) ?? 0 } }
    fileprivate static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, id: name) }
    fileprivate static var flagged: ScopeValue<Bool> { .lazy { try $0[ScopeValues.flag("beta")] } }
}

private let file = "ScopedInjectionTests/KeptBecauseTests.swift"

@Suite("R3, R10: a kept value says why it is kept where it is, and not further out", .programRoots)
struct KeptBecauseTests {
    private let outside = EnvironmentScope.empty("outside", parent: nil)
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        app = .empty("app", role: .application, parent: outside)
        request = .empty("request", role: .request, parent: app)
    }

    /// The reason in words, once the value is built in the request.
    private func reason<Value>(_ value: ValueName<Value>, in scope: EnvironmentScope? = nil) throws -> String? {
        let scope = scope ?? request
        _ = try scope.value(for: value)
        let explanation = scope.explain(value)
        return explanation.keptBecause.map { "\(explanation.keptIn ?? "?"): \($0)" }
    }

    @Test("An input that is set, provided or decorated there, with its place") func input() throws {
        request.requestID = "r1"
        #expect(try reason(\.label) == "request: requestID (String) is set there")
        request.provide(\.requestID, line: 3) { _ in "r2" }
        #expect(try reason(\.label) == "request: requestID (String) is provided there (\(file):3)")
        request.decorate(\.requestID, line: 4) { id, _ in id + "!" }
        request.decorate(\.requestID, line: 5) { id, _ in id + "?" }
        #expect(try reason(\.label) == "request: requestID (String) is decorated there (\(file):5)")
    }

    @Test("An input of an input is named with the direct one") func inputOfAnInput() throws {
        request.requestID = "r1"
        #expect(try reason(\.pool) == "request: requestID (String), by way of label, is set there")
    }

    @Test("Of several, one that the builder has read itself") func direct() throws {
        request.requestID = "r1"
        request.limits = 2
        #expect(try reason(\.pool) == "request: limits (Int) is set there")
        app.requestID = "none of the request's"
        request.removeValue(for: \.requestID)
        request.removeValue(for: \.limits)
        #expect(try reason(\.pool) == "app: requestID (String), by way of label, is set there")
    }

    @Test("A family's value") func family() throws {
        request[ScopeValues.flag("beta")] = true
        #expect(try reason(\.flagged) == "request: flag(beta) (Bool) is set there")
    }

    @Test("The value's own builder, or its decorations, further out than which it is never kept")
    func provider() throws {
        app.provide(\.alone, line: 3) { _ in Product("provided") }
        #expect(try reason(\.alone) == "app: it is provided there (\(file):3)")
        request.decorate(\.alone, line: 4) { inherited, _ in Product("decorated \(inherited.text)") }
        #expect(try reason(\.alone) == "request: it is decorated there (\(file):4)")
        request.removeValue(for: \.alone)
        request.requestID = "r1"
        app.provide(\.alone, line: 5) { Product(try $0.requestID) }
        #expect(try reason(\.alone) == "request: requestID (String) is set there")
    }

    @Test("The policy for defaults of the scope") func policy() throws {
        let test = EnvironmentScope.empty("test", parent: app, defaults: .reported)
        #expect(try reason(\.alone, in: test) == "test: defaults are reported there")
        let free = EnvironmentScope.empty("free", parent: test, defaults: .allowed)
        #expect(try reason(\.alone, in: free) == "free: defaults are allowed again there")
        let strict = EnvironmentScope.empty("strict", parent: free, defaults: .forbidden)
        strict.provide(\.label) { try $0.valueIfAny(for: \.token)?.text ?? "none" }
        #expect(try reason(\.label, in: strict) == "strict: it is provided there (\(file):\(#line - 1))")
        #expect(
            test.explain(\.alone).description.split(separator: "\n").dropFirst()
                == [#"  kept in "test" because defaults are reported there"#]
        )
    }

    @Test("The role in which it is begun, also where a provider lies nearer, or an input that is") func role() throws {
        let part = EnvironmentScope.empty("part", parent: request)
        #expect(try reason(\.cart, in: part) == "request: it is begun once in the role request")
        #expect(try reason(\.bill, in: part) == "request: cart (Product) belongs to the role request")
        let text = "request: cart (Product), by way of bill, belongs to the role request"
        #expect(try reason(\.receipt, in: part) == text)
        part.provide(\.cart, line: 3) { _ in Product("part") }
        #expect(try reason(\.cart, in: part) == "part: it is provided there (\(file):3)")
        app.cart = Product("set")
        let next = EnvironmentScope.empty("next", role: .request, parent: app)
        #expect(try reason(\.bill, in: next) == "next: cart (Product) belongs to the role request")
    }

    @Test("That no scope decides on anything, in the outermost scope") func outermost() throws {
        #expect(try reason(\.alone) == "outside: no scope decides on anything that it was built from")
        #expect(
            request.explain(\.alone).description.split(separator: "\n").dropFirst() == [
                #"  kept in "outside" because no scope decides on anything that it was built from"#,
                "  built from nothing that can change",
            ]
        )
    }

    @Test("That its builder went on after a closed scope refused an input") func closed() async throws {
        app.provide(\.cleaned) { $0.withCleanup(2) }
        await app.close()
        #expect(try reason(\.brave) == "request: its builder went on without what a closed scope could not keep")
    }

    @Test("Nothing that is set, transient or not built has a reason") func none() throws {
        request.requestID = "r1"
        #expect(request.explain(\.requestID).keptBecause == nil)
        #expect(request.explain(\.alone).keptBecause == nil)
    }

    @Test("The text of explain has it in a line, of the value that was asked for") func text() {
        request.requestID = "r1"
        _ = request.label
        let place = "\(file):\(ScopeValues.lineOfLabel)"
        let whole = """
            label (String): its own default (\(place)), built and kept in "request"
              requestID (String): set in "request"
              kept in "request" because requestID (String) is set there
              rebuilt when one of these changes: requestID
            """
        #expect(request.explain(\.label).description == whole)
    }

    @Test("The event of a build has it, and its text in short; one that is built in an update has that of the scope")
    func event() throws {
        let events = app.events()
        request.requestID = "r1"
        _ = (request.label, request.cart, request.alone)
        let texts = events.value.map { "\($0)" }
        #expect(texts[0].hasSuffix(#", kept in "request" because requestID (String) is set there"#))
        #expect(texts[1].hasSuffix(#", kept in "request" because it is begun once in the role request"#))
        #expect(texts[2].hasSuffix(#", kept in "outside""#))
        events.value = []
        try request.update(rebuilding: \.label) { $0.requestID = "r2" }
        #expect(events.value.first?.kind == .built)
        #expect("\(events.value[0])".contains(#", kept in "request""#))
    }
}
