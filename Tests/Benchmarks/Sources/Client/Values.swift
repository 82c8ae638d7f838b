public import ScopedInjection

/// A value of a class type.
public final class Service: Sendable {
    /// What reads give to the black hole.
    public let number: Int

    /// Creates a service.
    public init(number: Int = 1) { self.number = number }
}

/// A value that is used through a protocol.
public protocol Greeter: Sendable {
    /// What reads give to the black hole.
    var number: Int { get }
}

extension Service: Greeter {}

/// A value that is optional where it is injected.
public struct User: Sendable {
    let id: Int
    let name: String

    /// Creates a user.
    public init(id: Int, name: String) {
        self.id = id
        self.name = name
    }
}

/// A trivial value that does not fit into registers at once.
public struct FiveWords: Sendable {
    var words: (Int, Int, Int, Int, Int)

    /// Creates a value of five equal words.
    public init(_ word: Int) { words = (word, word, word, word, word) }
}

enum PortKey: ScopeKey { static let defaultValue = 8080 }
enum AdminPortKey: ScopeKey { static let defaultValue = 8081 }
enum LimitKey: ScopeKey { static let defaultValue = 100 }
enum TimeoutKey: ScopeKey { static let defaultValue = 30 }
enum RetriesKey: ScopeKey { static let defaultValue = 3 }
enum ServiceKey: ScopeKey { static let defaultValue = Service() }
enum OtherServiceKey: ScopeKey { static let defaultValue = Service() }
enum GreeterKey: ScopeKey { static var defaultValue: any Greeter { Service() } }
enum UserKey: ScopeKey { typealias Value = User? }
enum FiveWordsKey: ScopeKey { static let defaultValue = FiveWords(1) }
enum ConstantKey: ScopeKey { static let defaultValue = 1 }
enum DerivedKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Service { Service(number: scope.port) }
}

extension EnvironmentScope {
    /// An integer.
    public var port: Int {
        get { self[PortKey.self] }
        set { self[PortKey.self] = newValue }
    }
    /// An integer.
    public var adminPort: Int {
        get { self[AdminPortKey.self] }
        set { self[AdminPortKey.self] = newValue }
    }
    /// An integer.
    public var limit: Int {
        get { self[LimitKey.self] }
        set { self[LimitKey.self] = newValue }
    }
    /// An integer.
    public var timeout: Int {
        get { self[TimeoutKey.self] }
        set { self[TimeoutKey.self] = newValue }
    }
    /// An integer.
    public var retries: Int {
        get { self[RetriesKey.self] }
        set { self[RetriesKey.self] = newValue }
    }
    /// An object.
    public var service: Service {
        get { self[ServiceKey.self] }
        set { self[ServiceKey.self] = newValue }
    }
    /// Another object.
    public var otherService: Service {
        get { self[OtherServiceKey.self] }
        set { self[OtherServiceKey.self] = newValue }
    }
    /// An existential.
    public var greeter: any Greeter {
        get { self[GreeterKey.self] }
        set { self[GreeterKey.self] = newValue }
    }
    /// An optional value.
    public var user: User? {
        get { self[UserKey.self] }
        set { self[UserKey.self] = newValue }
    }
    /// A value of five words.
    public var fiveWords: FiveWords {
        get { self[FiveWordsKey.self] }
        set { self[FiveWordsKey.self] = newValue }
    }
    /// A default without inputs.
    public var constant: Int { self[ConstantKey.self] }
    /// A default that is built from `port`.
    public var derived: Service { self[DerivedKey.self] }
}
