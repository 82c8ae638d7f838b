import ScopedInjection
import Testing

/// A value whose instances can be told apart.
final class Product: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
}

private enum URLKey: ScopeKey { static let defaultValue = "default" }
private enum DatabaseKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("db(\(scope[URLKey.self]))") }
}
private enum RepositoryKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("repo(\(scope[DatabaseKey.self].text))") }
}
private enum IndependentKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("alone") }
}
private enum GreetingKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("hello \(scope.user?.name ?? "nobody")") }
}

extension EnvironmentScope {
    fileprivate var url: String {
        get { self[URLKey.self] }
        set { self[URLKey.self] = newValue }
    }
    fileprivate var database: Product {
        get { self[DatabaseKey.self] }
        set { self[DatabaseKey.self] = newValue }
    }
    fileprivate var repository: Product {
        get { self[RepositoryKey.self] }
        set { self[RepositoryKey.self] = newValue }
    }
}

@Suite("R2, R3: built values live where their inputs live")
struct LazyValueTests {
    let root = EnvironmentScope.empty("root", parent: nil)
    let app: EnvironmentScope
    let request: EnvironmentScope

    init() {
        app = .empty("app", parent: root)
        request = .empty("request", parent: app)
    }

    @Test("A value without inputs is kept in the root, whichever scope asks first", arguments: [true, false])
    func withoutInputs(requestFirst: Bool) {
        let first = requestFirst ? request[IndependentKey.self] : root[IndependentKey.self]
        let second = requestFirst ? root[IndependentKey.self] : request[IndependentKey.self]
        #expect(first === second)
        #expect(root.localValue(for: IndependentKey.self) === first)
        #expect(request.localValue(for: IndependentKey.self) == nil)
    }

    @Test("A value is kept in the deepest scope that supplied one of its inputs")
    func deepestInput() {
        app.url = "app"
        let built = request.repository
        #expect(built.text == "repo(db(app))")
        #expect(app.localValue(for: RepositoryKey.self) === built)
        #expect(app.localValue(for: DatabaseKey.self) != nil)
        #expect(root.localValue(for: RepositoryKey.self) == nil)
        #expect(root.repository.text == "repo(db(default))")
    }

    @Test("An override rebuilds all values built from it, there and only there", arguments: [true, false])
    func override(readBefore: Bool) {
        let shared = readBefore ? request.repository : nil
        request.url = "request"
        #expect(request.repository.text == "repo(db(request))")
        #expect(request.localValue(for: RepositoryKey.self) === request.repository)
        #expect(app.repository.text == "repo(db(default))")
        #expect(shared == nil || app.repository === shared)
        #expect(app.repository === root.repository)
    }

    @Test("Removing an override finds the shared value again")
    func removal() {
        let shared = request.repository
        request.url = "request"
        #expect(request.repository !== shared)
        request.removeValue(for: URLKey.self)
        #expect(request.repository === shared)
    }

    @Test("Replacing an input after the value was built rebuilds it")
    func replacing() {
        app.url = "one"
        let one = request.repository
        app.url = "two"
        #expect(request.repository.text == "repo(db(two))")
        #expect(app.repository === request.repository)
        #expect(app.repository !== one)
    }

    @Test("Overriding a value in between rebuilds only the values that depend on it")
    func intermediate() {
        let database = root.database
        request.database = Product("fake")
        #expect(request.repository.text == "repo(fake)")
        #expect(root.repository.text == "repo(db(default))")
        #expect(root.database === database)
        // The old input is no input any more.
        app.url = "app"
        #expect(request.repository.text == "repo(fake)")
    }

    @Test("A value that was set is never rebuilt")
    func explicitlySet() {
        let fixed = Product("fixed")
        root.database = fixed
        request.url = "request"
        #expect(request.database === fixed)
    }

    @Test("Siblings share the values whose inputs they share, and only those")
    func siblings() {
        let other = EnvironmentScope.empty("other", parent: app)
        #expect(request.repository === other.repository)
        app.url = "common"
        #expect(request.repository === other.repository)
        #expect(request.repository.text == "repo(db(common))")
        request.url = "mine"
        #expect(request.repository !== other.repository)
        #expect(other.repository.text == "repo(db(common))")
    }

    @Test("An optional input that is set below is seen below")
    func optionalInput() {
        let shared = root[GreetingKey.self]
        #expect(shared.text == "hello nobody")
        request.user = User(name: "Ada")
        #expect(request[GreetingKey.self].text == "hello Ada")
        #expect(app[GreetingKey.self] === shared)
        request.user = nil
        #expect(request[GreetingKey.self].text == "hello nobody")
        #expect(request[GreetingKey.self] !== shared, "nil was set here, so the value belongs here")
        request.removeValue(for: UserKey.self)
        #expect(request[GreetingKey.self] === shared)
    }

    @Test("A builder provided in the middle serves its scope and those below")
    func provideInTheMiddle() {
        app.provide(DatabaseKey.self) { Product("provided(\($0.url))") }
        #expect(request.database.text == "provided(default)")
        #expect(app.localValue(for: DatabaseKey.self) === request.database)
        #expect(root.database.text == "db(default)")
        #expect(request.repository === app.repository)
        #expect(request.repository.text == "repo(provided(default))")
        request.url = "request"
        #expect(request.database.text == "provided(request)")
        #expect(app.database.text == "provided(default)")
    }

    @Test("If a scope both sets and provides a value, the later call counts")
    func laterStands() {
        app.database = Product("set")
        app.provide(DatabaseKey.self) { _ in Product("provided") }
        #expect(request.database.text == "provided")
        app.database = Product("set again")
        #expect(request.database.text == "set again")
    }

    @Test("A condition on one input decides which others there are")
    func conditionalInputs() {
        enum FlagKey: ScopeKey { static let defaultValue = false }
        enum ChoiceKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Product {
                Product(scope[FlagKey.self] ? scope.host : "none")
            }
        }
        let before = request[ChoiceKey.self]
        request.host = "unused"
        #expect(request[ChoiceKey.self] === before)
        app[FlagKey.self] = true
        #expect(request[ChoiceKey.self].text == "unused")
        #expect(app[ChoiceKey.self].text == "localhost")
    }

    @Test("A value that a builder reads and that is missing is an input too")
    func failedInput() throws {
        enum FallbackKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Product {
                Product((try? scope.value(for: TokenKey.self).text) ?? "no token")
            }
        }
        #expect(request[FallbackKey.self].text == "no token")
        request.token = Token(text: "secret")
        #expect(request[FallbackKey.self].text == "secret")
        #expect(app[FallbackKey.self].text == "no token")
    }

    @Test("A scoped value is kept in the scope that asked, and so are values built from it")
    func scopedInputs() {
        enum RequestIDKey: ScopeKey {
            static var lifetime: ValueLifetime { .scoped }
            static func makeValue(in scope: EnvironmentScope) -> Product { Product("id") }
        }
        enum LoggerKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Product {
                Product("log " + scope[RequestIDKey.self].text)
            }
        }
        let other = EnvironmentScope.empty("other", parent: app)
        #expect(request[RequestIDKey.self] === request[RequestIDKey.self])
        #expect(request[RequestIDKey.self] !== other[RequestIDKey.self])
        #expect(request[RequestIDKey.self] !== app[RequestIDKey.self])
        let appLogger = app[LoggerKey.self]
        #expect(request[LoggerKey.self] !== appLogger)
        #expect(request.localValue(for: LoggerKey.self) === request[LoggerKey.self])
        #expect(app[LoggerKey.self] === appLogger)
    }

    @Test("A scoped value is rebuilt when its input changes")
    func scopedRebuilt() {
        enum SessionKey: ScopeKey {
            static var lifetime: ValueLifetime { .scoped }
            static func makeValue(in scope: EnvironmentScope) -> Product { Product(scope.url) }
        }
        let before = request[SessionKey.self]
        app.url = "new"
        #expect(request[SessionKey.self] !== before)
        #expect(request[SessionKey.self].text == "new")
    }

    @Test("A transient value is built at each read, and values built from it have its inputs")
    func transientInputs() {
        enum TransientKey: ScopeKey {
            static var lifetime: ValueLifetime { .transient }
            static func makeValue(in scope: EnvironmentScope) -> Product { Product(scope.url) }
        }
        enum HolderKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Product {
                Product("holds " + scope[TransientKey.self].text)
            }
        }
        #expect(request[TransientKey.self] !== request[TransientKey.self])
        let shared = request[HolderKey.self]
        #expect(shared === root[HolderKey.self])
        request.url = "request"
        #expect(request[HolderKey.self].text == "holds request")
        #expect(root[HolderKey.self] === shared)
        app.provide(TransientKey.self) { _ in Product("provided") }
        #expect(request[HolderKey.self].text == "holds provided")
        #expect(app.localValue(for: HolderKey.self) === request[HolderKey.self])
        #expect(root[HolderKey.self] === shared)
    }

    @Test("After a new parent, values are kept where their new inputs are")
    func reparenting() {
        let alone = EnvironmentScope.empty("alone", parent: nil)
        let own = alone[IndependentKey.self]
        #expect(alone.localValue(for: IndependentKey.self) === own)
        alone.parent = app
        #expect(alone[IndependentKey.self] === root[IndependentKey.self])
        app.url = "app"
        #expect(alone.database === app.database)
        alone.parent = nil
        #expect(alone.database.text == "db(default)")
    }

    @Test("Removing all values makes a scope see what its parent sees")
    func removeAll() {
        let shared = root.repository
        request.url = "request"
        request.provide(IndependentKey.self) { _ in Product("provided") }
        #expect(request.repository !== shared)
        request.removeAll()
        #expect(request.repository === shared)
        #expect(request[IndependentKey.self].text == "alone")
    }

    @Test("A value that is out of date is released")
    func staleValuesDie() {
        app.url = "one"
        weak let old = request.repository
        #expect(old != nil)
        app.url = "two"
        _ = request.repository
        #expect(old == nil)
    }
}
