import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var address: ScopeValue<String> { .lazy { "\(try $0.host):\(try $0.port)" } }
    fileprivate static var product: ScopeValue<Product> { .lazy { _ in Product("default") } }
    fileprivate static var session: ScopeValue<Int> { .lazy(.once(in: .request)) { _ in 1 } }
    fileprivate static var moment: ScopeValue<Int> { .lazy(.transient) { _ in 1 } }
    fileprivate static var safe: ScopeValue<Int> { .value(1, isSafeInTests: true) }
    fileprivate static var safeBuilt: ScopeValue<Product> { .lazy(isSafeInTests: true) { _ in Product("safe") } }
    fileprivate static var safeSum: ScopeValue<Int> { .lazy(isSafeInTests: true) { try $0.safe + $0.port } }
}

private func isForbidden<Value>(_ value: ValueName<Value>, in scope: EnvironmentScope) -> Bool {
    do {
        _ = try scope.value(for: value)
        return false
    } catch { return error.code == .defaultForbidden }
}

@Suite("R13: a scope that forbids defaults", .programRoots)
struct DefaultsPolicyTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let test = EnvironmentScope.empty("test", role: .request, parent: nil, defaults: .forbidden)

    // MARK: What is forbidden

    @Test("Every kind of default is forbidden: constants and built values, of every lifetime") func everyDefault() {
        #expect(isForbidden(\.port, in: test))
        #expect(isForbidden(\.address, in: test))
        #expect(isForbidden(\.session, in: test))
        #expect(isForbidden(\.moment, in: test))
        #expect(!isForbidden(\.token, in: test))
        #expect(isForbidden({ _ in ScopeValue<User?>.value(User(name: "Ada")) }, in: test))
    }

    @Test("Nil is not, nor what is said to be safe in tests; what a safe builder reads has to be safe too")
    func safe() throws {
        #expect(test.user == nil)
        #expect(test.safe == 1)
        #expect(test.safeBuilt.text == "safe")
        let error = try #require(throws: ScopeError.self) { try test.value(for: \.safeSum) }
        #expect(error.code == .defaultForbidden && error.path == ["safeSum", "port"])
        test.port = 2
        #expect(test.safeSum == 3)
    }

    @Test("What is set or provided is read, here and above; a provided builder may not read a default")
    func setOrProvided() throws {
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        app.user = User(name: "Ada")
        test.provide(\.host) { "host \(try $0.port)" }
        let error = try #require(throws: ScopeError.self) { try test.value(for: \.host) }
        #expect(error.code == .defaultForbidden && error.name == "port" && error.path == ["host", "port"])
        app.provide(\.port) { _ in 1 }
        #expect(test.host == "host 1")
        #expect(test.user == User(name: "Ada"))
        test.port = 2
        #expect(test.host == "host 2")
        test.removeValue(for: \.port)
        app.removeValue(for: \.port)
        #expect(isForbidden(\.port, in: test))
    }

    // MARK: Where

    @Test("In the scope and below, not above; a descendant can allow them again") func places() {
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: test)
        #expect(isForbidden(\.port, in: part))
        #expect(app.port == 8080)
        let lenient = EnvironmentScope.empty("lenient", parent: part, defaults: .allowed)
        let detail = EnvironmentScope.empty("detail", parent: lenient)
        #expect(detail.address == "localhost:8080")
        #expect(isForbidden(\.address, in: test))
        let strict = EnvironmentScope.empty("strict", parent: detail, defaults: .forbidden)
        #expect(isForbidden(\.port, in: strict))
    }

    @Test("What was read or built before, above or below, does not change that") func readBefore() {
        app.provide(\.host) { "host \(try $0.port)" }
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: test, defaults: .allowed)
        #expect([app.host, part.host] == ["host 8080", "host 8080"])
        _ = (app.product, part.product)
        #expect(isForbidden(\.host, in: test))
        #expect(isForbidden(\.product, in: test))
        test.port = 1
        #expect(test.host == "host 1")
        #expect(app.host == "host 8080")
    }

    @Test("A scope under the global one follows a new global scope") func underGlobal() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            let test = EnvironmentScope.empty("test", parent: .global, defaults: .forbidden)
            #expect(throws: ScopeError.self) { try test.value(for: \.port) }
            EnvironmentScope.global = EnvironmentScope("replacement", parent: nil) { $0.port = 1 }
            #expect(test.port == 1)
        }
    }

    // MARK: Whose instances

    @Test("Allowing defaults below nothing that forbids them changes nothing: instances are shared")
    func allowedAnyway() {
        let request = EnvironmentScope.empty("request", parent: app, defaults: .allowed)
        let part = EnvironmentScope.empty("part", parent: request, defaults: .allowed)
        #expect(part.product === app.product)
        #expect(part.address == "localhost:8080")
        #expect(app.localValue(for: \.address) == "localhost:8080")
        #expect(request.localValue(for: \.address) == nil)
    }

    @Test("Forbidding again below what forbids changes nothing either") func forbiddenAnyway() {
        let part = EnvironmentScope.empty("part", parent: test, defaults: .forbidden)
        #expect(part.safeBuilt === test.safeBuilt)
    }

    @Test("What is built where defaults are allowed again is not that of the scopes above") func allowedAgain() {
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: test, defaults: .allowed)
        #expect(part.product === part.product)
        #expect(part.localValue(for: \.product) === part.product)
        #expect(part.product !== app.product)
    }
}

@Suite("R13: a scope that reports defaults", .programRoots)
struct ReportedDefaultTests {
    private let reports: Box<[ScopeEvent]>
    private let scope = EnvironmentScope.empty("test", parent: nil, defaults: .reported)

    init() { reports = scope.events(of: .defaultUsed) }

    @Test("An unrelated change leaves what was built from a default") func unrelatedChange() {
        let product = scope.product
        scope.user = User(name: "Ada")
        #expect(scope.product === product)
        #expect(reports.value.map(\.name) == ["product"])
    }

    @Test("Of what is built from forgotten values, those are told, once each") func inputs() {
        #expect(scope.address == "localhost:8080")
        #expect(reports.value.map(\.name) == ["host", "port"])
        #expect(scope.address == "localhost:8080")
        #expect(reports.value.count == 2)
    }

    @Test("Nobody is told of what is set, provided, nil, or safe in tests") func nothingToTell() {
        scope.port = 1
        scope.provide(\.host) { "host \(try $0.port)" }
        #expect(scope.host == "host 1")
        #expect(scope.user == nil)
        #expect(scope.safe == 1)
        #expect(throws: ScopeError.self) { try scope.value(for: \.token) }
        #expect(reports.value.isEmpty)
    }

    @Test("Nobody is told of a default in a scope below that allows defaults, or in one further out")
    func elsewhereAllowed() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let test = EnvironmentScope.empty("test", parent: app, defaults: .reported)
        let reports = app.events(of: .defaultUsed)
        let part = EnvironmentScope.empty("part", parent: test, defaults: .allowed)
        #expect([app.port, part.port] == [8080, 8080])
        #expect(reports.value.isEmpty)
        #expect(test.port == 8080)
        #expect(reports.value.map(\.name) == ["port"])
    }

    @Test("A scope below that forbids them does forbid them") func forbiddenBelow() {
        let strict = EnvironmentScope.empty("strict", parent: scope, defaults: .forbidden)
        #expect(isForbidden(\.port, in: strict))
        #expect(reports.value.isEmpty)
    }
}
