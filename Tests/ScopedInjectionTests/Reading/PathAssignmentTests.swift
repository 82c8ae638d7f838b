import ScopedInjection
import Testing

private let builds = Box(0)

private enum CostlyKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product {
        builds.update { $0 += 1 }
        return Product("costly")
    }
}
private protocol Store: Sendable { var text: String { get } }
extension Product: Store {}
private enum StoreKey: ScopeKey { typealias Value = any Store }
private enum SettingsKey: ScopeKey { static let defaultValue = Settings() }
private struct Settings: Sendable {
    var url = "default"
    var retries = 3
}

extension EnvironmentScope {
    fileprivate var costly: Product {
        get { self[CostlyKey.self] }
        set { self[CostlyKey.self] = newValue }
    }
    fileprivate var store: any Store {
        get { self[StoreKey.self] }
        set { self[StoreKey.self] = newValue }
    }
    fileprivate var settings: Settings {
        get { self[SettingsKey.self] }
        set { self[SettingsKey.self] = newValue }
    }
}

extension ScopeValues { fileprivate static let address = ScopeValue("localhost:8080") }
extension EnvironmentScope {
    fileprivate var address: String {
        get { self[ScopeValues.address] }
        set { self[ScopeValues.address] = newValue }
    }
    fileprivate var portText: String {
        get { String(address.split(separator: ":")[1]) }
        set { address = address.split(separator: ":")[0] + ":" + newValue }
    }
}

extension Int {
    fileprivate var lastDigits: Int {
        get { self % 100 }
        set { self = self / 100 * 100 + newValue }
    }
}

private struct Shelf: Equatable {
    var name: String
    var books: [Shelf] = []
}

extension ScopeValues {
    fileprivate static let shelf = ScopeValue(Shelf(name: "all", books: [Shelf(name: "first")]))
    /// A value whose type has an arrow in its name.
    fileprivate static let action = ScopeValue<@Sendable () -> Int>.required()
}

@Suite("with(_:_:) sets through a path")
struct PathAssignmentTests {
    @Test("A required value that is missing can be set")
    func required() {
        let scope = EnvironmentScope.empty("scope", parent: nil).with(\.token, Token(text: "t"))
            .with(\.store, Product("p"))
        #expect(scope.token.text == "t")
        #expect(scope.store.text == "p")
    }

    @Test("The default of the value that is set is not built")
    func buildsNothing() {
        let parent = EnvironmentScope.empty("parent", parent: nil)
        let scope = EnvironmentScope.empty("scope", parent: parent).with(\.costly, Product("cheap"))
        #expect(scope.costly.text == "cheap")
        #expect(builds.value == 0)
        #expect(parent.localValue(for: CostlyKey.self) == nil)
    }

    @Test("A value can be set where defaults are forbidden")
    func defaultsForbidden() {
        let scope = EnvironmentScope.empty("scope", parent: nil, defaults: .forbidden).with(\.port, 1)
        #expect(scope.port == 1)
    }

    @Test("A longer path changes a copy of what the scope sees")
    func longPath() {
        let parent = EnvironmentScope.empty("parent", parent: nil).with(\.settings.retries, 5)
        let scope = EnvironmentScope.empty("scope", parent: parent).with(\.settings.url, "here")
        #expect(scope.settings.url == "here")
        #expect(scope.settings.retries == 5)
        #expect(parent.settings.url == "default")
    }

    @Test("So does one to a part of the same type as the value")
    func partOfSameType() {
        let scope = EnvironmentScope.empty("scope", parent: nil)
        #expect(scope.with(\.port.lastDigits, 5).port == 8005)
        #expect(scope.with(\.port, 1).port == 1)
        let other = EnvironmentScope.empty("other", parent: nil).with(\.shelf.books[0], Shelf(name: "new"))
        #expect(other.shelf == Shelf(name: "all", books: [Shelf(name: "new")]))
        let action = EnvironmentScope.empty("action", parent: nil).with(\.action) { 2 }
        #expect(action.action() == 2)
    }

    @Test("Setting an optional to nil sets it")
    func nilValue() {
        let parent = EnvironmentScope.empty("parent", parent: nil).with(\.user, User(name: "Ann"))
        #expect(EnvironmentScope.empty(parent: parent).with(\.user, nil).user == nil)
        let alone = EnvironmentScope.empty(parent: nil, defaults: .forbidden).with(\.user, nil)
        #expect(alone.localValue(for: UserKey.self) == .some(nil))
        #expect(parent.user?.name == "Ann")
    }

    @Test("A setter that reads other values sees those")
    func limitedSetter() {
        let scope = EnvironmentScope.empty(parent: nil)
        #expect(scope.with(\.timeout, 50).timeout == 10)
        #expect(scope.with(\.timeout, 7).timeout == 7)
    }

    @Test("A property that is a part of a constant does the same as an assignment", arguments: [false, true])
    func partOfConstant(isRead: Bool) {
        let scope = EnvironmentScope.empty(parent: nil)
        if isRead { _ = scope.address }
        #expect(scope.with(\.portText, "90").address == "localhost:90")
        #expect(scope.with(\.portText, "91").address == "localhost:91")
        let strict = EnvironmentScope.empty(parent: nil, defaults: .forbidden)
        #expect(strict.with(\.address, "here:1").address == "here:1")
    }

    @Test("A constant can be set where it could not be kept")
    func closed() async {
        let scope = EnvironmentScope.empty(parent: nil)
        await scope.close()
        #expect(scope.with(\.address, "here:1").address == "here:1")
    }

    @Test("A property that is made of several values changes only what the path names")
    func composed() {
        let scope = EnvironmentScope.empty(parent: nil).with(\.endpoint.port, 1)
        #expect(scope.endpoint == Endpoint(host: "localhost", port: 1))
        #expect(scope.with(\.endpoint.host, "example.org").endpoint == Endpoint(host: "example.org", port: 1))
    }

    @Test("A value can be set that another thread removes while its property is read")
    func removedMeanwhile() async {
        await #expect(processExitsWith: .success) {
            let scope = EnvironmentScope("scope", parent: nil) { $0[ScopeValues.observed] = "there" }
            afterReading.value = once { elsewhere { _ = scope.removeValue(for: \.observed) } }
            scope.with(\.observedText, "new")
            guard scope[ScopeValues.observed] == "new" else { fatalError("It is not set.") }
        }
    }
}

private let afterReading = Box<@Sendable () -> Void>({})

extension ScopeValues { fileprivate static let observed = ScopeValue<String>.required() }
extension EnvironmentScope {
    fileprivate var observedText: String {
        get {
            let text = self[ScopeValues.observed]
            afterReading.value()
            return text
        }
        set { self[ScopeValues.observed] = newValue }
    }
}

private struct Endpoint: Equatable {
    var host: String
    var port: Int
}
private enum TimeoutKey: ScopeKey { static let defaultValue = 5 }
private enum LongestTimeoutKey: ScopeKey { static let defaultValue = 10 }

extension EnvironmentScope {
    fileprivate var timeout: Int {
        get { self[TimeoutKey.self] }
        set { self[TimeoutKey.self] = min(newValue, self[LongestTimeoutKey.self]) }
    }
    fileprivate var endpoint: Endpoint {
        get { Endpoint(host: host, port: port) }
        set {
            host = newValue.host
            port = newValue.port
        }
    }
}
