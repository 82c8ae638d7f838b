import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var url: ScopeValue<String> { .value("default") }
    fileprivate static var database: ScopeValue<Product> { .lazy { Product("db(\(try $0.url))") } }
    fileprivate static var repository: ScopeValue<Product> { .lazy { Product("repo(\(try $0.database.text))") } }
    fileprivate static var independent: ScopeValue<Product> { .lazy { _ in Product("alone") } }
    fileprivate static var greeting: ScopeValue<Product> {
        .lazy { Product("hello \(try $0.user?.name ?? "nobody")") }
    }
}

@Suite("R3: a shared value is kept in the outermost scope that sees the same inputs", .programRoots)
struct PlacementTests {
    private let root = EnvironmentScope.empty("root", parent: nil)
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        app = .empty("app", parent: root)
        request = .empty("request", parent: app)
    }

    @Test("Without inputs that scopes decide, that is the root, whichever scope asks first", arguments: [true, false])
    func withoutInputs(isRequestFirst: Bool) {
        let first = isRequestFirst ? request.independent : root.independent
        let second = isRequestFirst ? root.independent : request.independent
        #expect(first === second)
        #expect(root.localValue(for: \.independent) === first)
        #expect(request.localValue(for: \.independent) == nil)
    }

    @Test("Otherwise it is the deepest scope that decides one of its inputs, directly or through other values")
    func deepestInput() {
        app.url = "app"
        let built = request.repository
        #expect(built.text == "repo(db(app))")
        #expect(app.localValue(for: \.repository) === built)
        #expect(app.localValue(for: \.database) != nil)
        #expect(root.localValue(for: \.repository) == nil)
        #expect(root.repository.text == "repo(db(default))")
    }

    @Test("An override rebuilds all that is built from it, there and only there", arguments: [true, false])
    func override(isReadBefore: Bool) {
        let shared = isReadBefore ? request.repository : nil
        request.url = "request"
        #expect(request.repository.text == "repo(db(request))")
        #expect(request.localValue(for: \.repository) === request.repository)
        #expect(app.repository.text == "repo(db(default))")
        #expect(shared == nil || app.repository === shared)
        #expect(app.repository === root.repository)
    }

    @Test("What does not depend on the override is shared as before") func unaffected() {
        let independent = app.independent
        request.url = "request"
        #expect(request.independent === independent)
        _ = request.repository
        #expect(request.independent === independent)
    }

    @Test("Removing an override finds the shared value again") func removal() {
        let shared = request.repository
        request.url = "request"
        #expect(request.repository !== shared)
        request.removeValue(for: \.url)
        #expect(request.repository === shared)
    }

    @Test("A value that is set between hides what it would be built from") func between() {
        let database = root.database
        request.database = Product("fake")
        #expect(request.repository.text == "repo(fake)")
        #expect(root.repository.text == "repo(db(default))")
        #expect(root.database === database)
        let repository = request.repository
        app.url = "app"
        #expect(request.repository === repository)
    }

    @Test("Siblings share the values whose inputs they share, and only those") func siblings() {
        let other = EnvironmentScope.empty("other", parent: app)
        #expect(request.repository === other.repository)
        app.url = "common"
        #expect(request.repository === other.repository)
        #expect(request.repository.text == "repo(db(common))")
        request.url = "mine"
        #expect(request.repository !== other.repository)
        #expect(other.repository.text == "repo(db(common))")
    }

    @Test("Nil that is set in a scope is decided there") func optionalInput() {
        let shared = root.greeting
        #expect(shared.text == "hello nobody")
        request.user = User(name: "Ada")
        #expect(request.greeting.text == "hello Ada")
        #expect(app.greeting === shared)
        request.user = nil
        #expect(request.greeting.text == "hello nobody")
        #expect(request.greeting !== shared)
        request.removeValue(for: \.user)
        #expect(request.greeting === shared)
    }

    @Test("A builder serves the scope that it was provided in and those below, and is kept no further out")
    func provided() {
        app.provide(\.database) { Product("provided(\(try $0.url))") }
        #expect(request.database.text == "provided(default)")
        #expect(app.localValue(for: \.database) === request.database)
        #expect(root.database.text == "db(default)")
        #expect(request.repository === app.repository)
        #expect(request.repository.text == "repo(provided(default))")
        request.url = "request"
        #expect(request.database.text == "provided(request)")
        #expect(app.database.text == "provided(default)")
        root.url = "root"
        #expect(app.database.text == "provided(root)" && app.localValue(for: \.database) === app.database)
    }
}
