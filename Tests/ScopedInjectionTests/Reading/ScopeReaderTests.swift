import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var address: ScopeValue<String> { .lazy { "\(try $0.host):\(try $0.port)" } }
    fileprivate static var url: ScopeValue<String> { .lazy { try url(of: $0) } }
    fileprivate static var greeting: ScopeValue<String> {
        .lazy { try "Hello \($0.valueIfAny(for: \.token)?.text ?? "nobody")" }
    }
    fileprivate static var letter: ScopeValue<String> { .lazy { try "\($0.secret): \($0.address)" } }
    fileprivate static var secret: ScopeValue<String> { .lazy { try $0.token.text } }
    fileprivate static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, id: name) }
    fileprivate static var features: ScopeValue<[Bool]> {
        .lazy { reader in try [reader[flag("a")], reader[flag("b")]] }
    }

    private static func url(of reader: ScopeReader) throws -> String { "https://" + (try reader.address) }
}

/// What a builder left behind by unsafe means.
private nonisolated(unsafe) var reading: () throws -> Int = { 0 }

@Suite("R4: a builder reads, and what it reads throws", .programRoots)
struct ScopeReaderTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)

    init() { (app, request) = makeScopes() }

    @Test("A reader reads members, and values that are given as such") func reads() {
        #expect(request.address == "localhost:8080")
        request[ScopeValues.flag("b")] = true
        #expect(request.features == [false, true])
        #expect(app.features == [false, false])
    }

    @Test("A function that is given the reader reads for the builder") func handedOn() {
        #expect(request.url == "https://localhost:8080")
        request.port = 1
        #expect(request.url == "https://localhost:1")
        #expect(app.url == "https://localhost:8080")
    }

    @Test("Where nothing is set or provided, valueIfAny is nil, and that is an input") func valueIfAny() {
        #expect(request.greeting == "Hello nobody")
        #expect(app.localValue(for: \.greeting) == "Hello nobody")
        request.token = Token(text: "Ada")
        #expect(request.greeting == "Hello Ada")
        #expect(app.greeting == "Hello nobody")
        request.removeValue(for: \.token)
        app.token = Token(text: "Grace")
        #expect(request.greeting == "Hello Grace")
    }

    @Test("valueIfAny of a value whose builder fails is that error") func valueIfAnyFails() throws {
        app.provide(\.host) { reader in try reader.valueIfAny(for: \.letter) ?? "none" }
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.host) }
        #expect(error.code == .missingValue && error.path == ["host", "letter", "secret", "token"])
    }

    @Test("A reader that is used later, or on another thread, ends the program", arguments: [false, true])
    func misused(isElsewhere: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isElsewhere] in
            useProgramRoots()
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(\.port) { reader in
                reading = { try reader.main }
                return isElsewhere ? try elsewhere { () throws -> Int in try reading() } : 1
            }
            _ = app.port
            if !isElsewhere { _ = try reading() }
        }
        expect(result, says: "A ScopeReader was used after its builder had returned, or on another thread.")
    }
}
