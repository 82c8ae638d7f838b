import ScopedInjection
import Testing

private struct Refused: Error, CustomStringConvertible { var description: String { "connection refused" } }

extension ScopeValues {
    fileprivate static var cache: ScopeValue<Deferred<Product>> { .lazy { _ in Deferred { throw Refused() } } }
    fileprivate static var closed: ScopeValue<Deferred<Product>> {
        .lazy { reader in
            reader.deferred(fileID: "Shop/Pools.swift", line: 7) {
                throw Refused()
            } onClose: { _ in
            }
        }
    }
    fileprivate static var shop: ScopeValue<Deferred<Int>> {
        .lazy {
            let cache = try $0.cache
            return Deferred { try await cache().text.count }
        }
    }
    fileprivate static var constant: ScopeValue<Deferred<Int>> {
        .value(Deferred(fileID: "Shop/Values.swift", line: 3) { throw Refused() })
    }
    fileprivate static var ofConstant: ScopeValue<Deferred<Int>> { .lazy { try $0.constant } }
    fileprivate static var constantly: ScopeValue<Deferred<Int>> { .required() }
    fileprivate static var onConstantly: ScopeValue<Deferred<Int>> {
        .lazy {
            let other = try $0.constantly
            return Deferred { try await other() }
        }
    }
    fileprivate static var ring: ScopeValue<Box<Deferred<Int>?>> { .lazy { _ in Box(nil) } }
    fileprivate static var hen: ScopeValue<Deferred<Int>> {
        .lazy {
            let ring = try $0.ring
            return Deferred { try await ring.value?() ?? 0 }
        }
    }
    fileprivate static var egg: ScopeValue<Deferred<Int>> {
        .lazy {
            let hen = try $0.hen
            return Deferred { try await hen() }
        }
    }
}

@Suite("R10: what the run of a deferred value throws is an error with its name, its place and the way", .programRoots)
struct DeferredErrorTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    private func error<Value>(of deferred: Deferred<Value>) async throws -> ScopeError {
        try await #require(throws: ScopeError.self) { try await deferred() }
    }

    @Test("Where the run of a value awaits one without a name, it is that of the value, for that of the other")
    func ofNameless() async throws {
        app.constantly = Deferred<Int>(fileID: "Shop/Stub.swift", line: 8) { throw Refused() }
        let error = try await error(of: app.onConstantly)
        #expect(error.name == "onConstantly")
        let text = "The deferred value (Int) made at Shop/Stub.swift:8 could not be made: connection refused"
        #expect("\(try #require(error.underlyingError))".hasPrefix(text))
    }

    @Test("It is that of a builder that threw") func named() async throws {
        let error = try await error(of: app.cache)
        #expect(error.code == .makeFailed && error.name == "cache" && error.valueType == "Deferred<Product>")
        #expect(error.underlyingError is Refused)
        let text = """
            The value for cache (Deferred<Product>) could not be built: connection refused
              Declared at: ScopedInjectionTests/DeferredErrorTests.swift:7
              Searched: "app"
              To fix it: see the reason above; set cache where its builder cannot work.
            """
        #expect(error.description == text)
    }

    @Test("It has the place of the deferred value, where that is not the line of the declaration")
    func place() async throws {
        let text = try await error(of: app.closed).description
        #expect(text.contains("\n  Deferred at: Shop/Pools.swift:7\n  Searched: "))
        app.provide(\.cache) { _ in Deferred(fileID: "Shop/Module.swift", line: 8) { throw Refused() } }
        #expect(try await error(of: app.cache).description.contains("\n  Deferred at: Shop/Module.swift:8\n"))
    }

    @Test("Where one deferred value awaits another, the error is that of the inner one, with the way")
    func way() async throws {
        let error = try await error(of: app.shop)
        #expect(error.name == "cache" && error.path == ["shop", "cache"])
        #expect(error.underlyingError is Refused && error.description.contains("\n  Needed by: shop → cache\n"))
        let failed = try await #require(throws: ScopeError.self) { try await app.prepare(\.cache, \.shop) }
        #expect(failed.failures.isEmpty && failed.name == "cache", "it is named once")
    }

    @Test("A decoration that awaits what it decorates passes the error on, which has one name")
    func decoration() async throws {
        app.decorate(\.cache) { inherited, _ in Deferred { try await inherited() } }
        let error = try await error(of: app.cache)
        #expect(error.name == "cache" && error.path == [] && error.underlyingError is Refused)
    }

    @Test("An error of a scope that a run reads in is passed on, with the way") func scopeError() async throws {
        let other = EnvironmentScope.empty("other", parent: nil)
        app.provide(\.cache) { _ in Deferred { Product(try other.value(for: \.token).text) } }
        let error = try await error(of: app.cache)
        #expect(error.code == .missingValue && error.name == "token" && error.underlyingError == nil)
        #expect(error.path == ["cache", "token"] && error.searchedScopes == ["other"])
    }

    @Test("A cancellation is passed on") func cancellation() async throws {
        app.provide(\.cache) { _ in Deferred { throw CancellationError() } }
        await #expect(throws: CancellationError.self) { try await app.cache() }
    }

    @Test("One that is made elsewhere than in a builder throws the same kind of error, with its place")
    func nameless() async throws {
        let stub = Deferred<Int>(fileID: "Shop/Tests.swift", line: 12) { throw Refused() }
        let error = try await error(of: stub)
        #expect(error.code == .makeFailed && error.name == nil && error.underlyingError is Refused)
        let text = """
            The deferred value (Int) made at Shop/Tests.swift:12 could not be made: connection refused
              To fix it: see the reason above.
            """
        #expect(error.description == text)
    }

    @Test("A constant is such a one, also if a builder reads it first") func constant() async throws {
        let error = try await error(of: app.ofConstant)
        #expect(error.name == nil)
        #expect(error.description.hasPrefix("The deferred value (Int) made at Shop/Values.swift:3 could not be made: "))
    }

    @Test("prepare knows the name of such a one that is set") func prepared() async throws {
        app.cache = Deferred(fileID: "Shop/Tests.swift", line: 12) { throw Refused() }
        let error = try await #require(throws: ScopeError.self) { try await app.prepare(\.cache) }
        #expect(error.name == "cache" && error.underlyingError is Refused)
        #expect(error.description.contains("\n  Deferred at: Shop/Tests.swift:12\n  Searched: \"app\"\n"))
    }

    @Test("Values that wait for themselves are named in the text") func cycle() async throws {
        app.ring.update { [app] in $0 = app.egg }
        defer { app.ring.update { $0 = nil } }
        let error = try await error(of: app.hen)
        #expect(error.code == .cycle)
        #expect(error.description.hasPrefix("A cycle: egg waits for itself: egg → hen → egg.\n"))
    }
}
