import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var number: ScopeValue<Int> { .value(0) }
    fileprivate static var text: ScopeValue<Product> { .lazy { Product("\(try $0.number)") } }
    fileprivate static var reading: ScopeValue<Reading> { .lazy { _ in Reading() } }
    fileprivate static var around: ScopeValue<Int> { .lazy { try $0.reading.number + 1 } }
    fileprivate static var holding: ScopeValue<Holding> { .lazy { _ in Holding() } }
}

/// Reads in its initialiser, through a reference.
private final class Reading: Sendable {
    let number: Int
    init() { number = Injected(\.number)() }
}

/// Reads when it is asked, through a reference.
private final class Holding: Sendable { let number = Injected(\.number) }

@Suite("R4: what a builder reads, by its reader and by references, are its inputs, and nothing else", .programRoots)
struct BuilderReadTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)
    private let elsewhereScope = EnvironmentScope("elsewhere", parent: nil) { $0.number = 7 }

    init() { (app, request) = makeScopes() }

    @Test("A reference that an initialiser reads is an input") func reference() {
        #expect(request.reading === app.reading)
        request.number = 9
        #expect((request.reading.number, request.around) == (9, 10))
        #expect((app.reading.number, app.around) == (0, 1))
        app.number = 5
        #expect((app.around, request.around) == (6, 10))
    }

    @Test("A reference whose function reads several values is an input of the builder that reads it")
    func functionOfReference() {
        let sum = Injected { $0.number + $0.port }
        app.provide(\.text) { _ in Product("\(sum())") }
        request.port = 1
        #expect((request.text.text, app.text.text) == ("1", "8080"))
    }

    @Test("A reference that fails throws in a builder, and that error is the read's") func failingReference() {
        let token = Injected(\.token)
        app.provide(\.text) { _ in Product(try token.value().text) }
        let error = #expect(throws: ScopeError.self) { try request.value(for: \.text) }
        #expect(error?.code == .missingValue && error?.path == ["text", "token"])
        request.token = Token(text: "t")
        #expect((try? request.value(for: \.text).text) == "t")
    }

    @Test("A reference that the value keeps, and reads later, is no input") func keptReference() {
        let holding = request.holding
        request.number = 3
        #expect(request.holding === holding)
        #expect(holding === app.holding)
        #expect(request { holding.number() } == 3)
    }

    @Test("A reference is read as the asking scope sees it, not the entered one", arguments: [true, false])
    func enteredAnother(isEntered: Bool) {
        request.number = 2
        let number = isEntered ? elsewhereScope { request.reading.number } : request.reading.number
        #expect(number == 2)
        #expect(elsewhereScope.localValue(for: \.reading) == nil)
    }

    /// A way to read a number through another scope than the reader.
    enum Way: CaseIterable {
        case property, reference, entered, bound

        func read(_ scope: EnvironmentScope) -> Int {
            switch self {
            case .property: scope.number
            case .reference: Injected(\.number, scope: scope)()
            case .entered: scope { Injected(\.number)() }
            case .bound: scope.bind { EnvironmentScope.current.number }()
            }
        }
    }

    @Test("A read through another scope is an ordinary one, and no input", arguments: Way.allCases)
    func otherScope(way: Way) {
        app.provide(\.text) { [elsewhereScope] reader in Product("\(way.read(elsewhereScope)) \(try reader.port)") }
        let first = request.text
        #expect(first.text == "7 8080")
        #expect(first === app.localValue(for: \.text))
        elsewhereScope.number = 8
        request.number = 1
        #expect(request.text === first)
        app.port = 1
        #expect(request.text.text == "8 1")
    }

    @Test("A read through the scope that keeps the value is an ordinary one, and no input", arguments: Way.allCases)
    func keepingScope(way: Way) {
        app.provide(\.text) { [unowned app] _ in Product("\(way.read(app))") }
        let first = request.text
        app.number = 5
        #expect(request.text === first)
        #expect(first.text == "0")
    }

    @Test("What is built through another scope is kept there, and is nothing of this build") func builtElsewhere() {
        elsewhereScope.provide(\.reading) { _ in Reading() }
        app.provide(\.text) { [elsewhereScope] _ in Product("\(elsewhereScope.reading.number)") }
        let text = request.text
        #expect(text.text == "7")
        #expect(app.localValue(for: \.text) === text)
        #expect(elsewhereScope.localValue(for: \.reading)?.number == 7)
    }

    @Test("A scope that the builder makes with a parent of its own is a scope like any other") func madeScope() {
        app.provide(\.text) { reader in
            let number = try reader.number
            let own = EnvironmentScope("own", parent: nil) { $0.number = number + 1 }
            return Product("\(own.number) \(own { EnvironmentScope.current.reading.number })")
        }
        request.number = 1
        #expect((request.text.text, app.text.text) == ("2 2", "1 1"))
    }

    @Test("A builder that changes a scope changes it for all, once") func changes() {
        let runs = Box(0)
        app.provide(\.text) { [elsewhereScope] reader in
            runs.update { $0 += 1 }
            elsewhereScope.number += 1
            return Product("\(try reader.number)")
        }
        #expect(request.text.text == "0")
        #expect(request.text.text == "0")
        #expect(elsewhereScope.number == 8)
        #expect(runs.value == 1)
    }
}
