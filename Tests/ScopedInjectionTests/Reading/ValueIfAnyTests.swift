import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let secret = ScopeValue<String>.required()
    fileprivate static let count = ScopeValue(1)
    fileprivate static let guest = ScopeValue<User?>()
    fileprivate static let built = ScopeValue { scope in try "built from \(scope.value(for: \.secret))" }
    fileprivate static let optional = ScopeValue { scope in try scope.valueIfAny(\.secret) ?? "none" }
    fileprivate static let nickname = ScopeValue<String>.required()
}

private struct Refusal: Error {}

@Suite("valueIfAny: a value, or nil if there is none")
struct ValueIfAnyTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let request: EnvironmentScope

    init() { request = EnvironmentScope.empty("request", parent: app) }

    @Test("It is nil if nothing is set or provided and there is no default")
    func missing() throws {
        #expect(try request.valueIfAny(\.secret) == nil)
        #expect(try request.valueIfAny(ScopeValues.secret) == nil)
        #expect(try request.valueIfAny(TokenKey.self) == nil)
    }

    @Test("It is the value that is set, here or further out")
    func set() throws {
        app.secret = "app"
        #expect(try request.valueIfAny(\.secret) == "app")
        request.secret = "request"
        #expect(try request.valueIfAny(\.secret) == "request")
        #expect(try app.valueIfAny(\.secret) == "app")
        request.removeAll()
        app.removeAll()
        #expect(try request.valueIfAny(\.secret) == nil)
    }

    @Test("It is the value that a provided builder builds, kept like any other")
    func provided() throws {
        app.provide(\.secret) { scope in "provided \(scope.count)" }
        #expect(try request.valueIfAny(\.secret) == "provided 1")
        #expect(app.localValue(for: \.secret) == "provided 1")
    }

    @Test("It is the default if there is one, nil included")
    func defaults() throws {
        #expect(try request.valueIfAny(\.count) == 1)
        let guest = try request.valueIfAny(\.guest)
        #expect(guest == .some(nil))
        #expect(try request.valueIfAny(UserKey.self) == .some(nil))
        app.guest = User(name: "Ada")
        #expect(try request.valueIfAny(\.guest) == User(name: "Ada"))
    }

    @Test("A provided builder that needs the value itself, further out, has an input that is missing")
    func missingFurtherOut() throws {
        app.provide(\.secret) { scope in try scope.inherited(\.secret) + "!" }
        let other = EnvironmentScope.empty("other", parent: nil)
        request.provide(\.nickname) { _ in try other.value(for: \.nickname) }
        let first = try #require(throws: ScopeError.self) { try request.valueIfAny(\.secret) }
        #expect(first.code == .missingValue)
        #expect(first.path == ["the String declared at \(#fileID):5", "the String declared at \(#fileID):5"])
        #expect(throws: ScopeError.self) { try request.valueIfAny(\.nickname) }
    }

    @Test("An input that is missing is an error, because there is a builder")
    func missingInput() throws {
        let error = try #require(throws: ScopeError.self) { try request.valueIfAny(\.built) }
        #expect(error.code == .missingValue)
        app.provide(\.secret) { scope in try scope.value(for: TokenKey.self).text }
        let provided = try #require(throws: ScopeError.self) { try request.valueIfAny(\.secret) }
        #expect(provided.code == .missingValue)
        #expect(provided.key == "TokenKey")
    }

    @Test("An error that a builder throws is passed on")
    func throwing() throws {
        app.provide(\.secret) { _ in throw Refusal() }
        let error = try #require(throws: ScopeError.self) { try request.valueIfAny(\.secret) }
        #expect(error.code == .makeFailed)
        #expect(error.underlyingError is Refusal)
    }

    @Test("A parent that is gone, a default that is forbidden, a closed scope and a cycle are errors")
    func otherErrors() async throws {
        func code(_ body: () throws -> Any?) -> ScopeError.Code? {
            do {
                _ = try body()
                return nil
            } catch {
                return (error as? ScopeError)?.code
            }
        }
        let orphan: EnvironmentScope
        do { orphan = EnvironmentScope.empty("orphan", parent: .empty("gone", parent: nil)) }
        #expect(code { try orphan.valueIfAny(\.secret) } == .parentReleased)
        let strict = EnvironmentScope.empty("strict", parent: nil, defaults: .forbidden)
        #expect(code { try strict.valueIfAny(\.count) } == .defaultForbidden)
        #expect(code { try strict.valueIfAny(\.secret) } == nil)
        let closed = EnvironmentScope.empty("closed", parent: nil)
        await closed.close()
        #expect(code { try closed.valueIfAny(\.count) } == .closed)
        app.provide(\.secret) { scope in try scope.value(for: \.built) }
        #expect(code { try request.valueIfAny(\.secret) } == .cycle)
    }

    @Test("An alias of a missing value is nil, and an alias of a value is that value")
    func alias() throws {
        app.alias(\.nickname, to: \.secret)
        #expect(try request.valueIfAny(\.nickname) == nil)
        request.secret = "request"
        #expect(try request.valueIfAny(\.nickname) == "request")
    }

    @Test("In a builder, the absence of a value is an input like any other")
    func input() {
        #expect(request.optional == "none")
        #expect(app.localValue(for: \.optional) == "none")
        request.secret = "request"
        #expect(request.optional == "request")
        #expect(app.optional == "none")
        app.secret = "app"
        #expect(app.optional == "app")
        request.removeAll()
        #expect(request.optional == "app")
        app.removeValue(for: \.secret)
        #expect(request.optional == "none")
    }
}
