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
    /// What reads give to the black hole.
    public let id: Int
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

extension ScopeValues {
    /// An integer.
    public static var port: ScopeValue<Int> { .value(8080) }
    /// An integer.
    public static var adminPort: ScopeValue<Int> { .value(8081) }
    /// An integer.
    public static var limit: ScopeValue<Int> { .value(100) }
    /// An integer.
    public static var timeout: ScopeValue<Int> { .value(30) }
    /// An integer.
    public static var retries: ScopeValue<Int> { .value(3) }
    /// An object.
    public static var service: ScopeValue<Service> { .lazy { _ in Service() } }
    /// Another object.
    public static var otherService: ScopeValue<Service> { .lazy { _ in Service() } }
    /// An existential.
    public static var greeter: ScopeValue<any Greeter> { .lazy { _ in Service() } }
    /// An optional value.
    public static var user: ScopeValue<User?> { .optional() }
    /// A value of five words.
    public static var fiveWords: ScopeValue<FiveWords> { .value(FiveWords(1)) }
    /// A constant that nobody sets.
    public static var constant: ScopeValue<Int> { .value(1) }
    /// A value that is built from `port`.
    public static var derived: ScopeValue<Service> { .lazy { try Service(number: $0.port) } }
}

/// Sets a value of each kind.
public func setOneOfEach(in scope: EnvironmentScope) {
    scope.port = 1
    scope.service = Service()
    scope.greeter = Service()
    scope.user = User(id: 1, name: "Ada")
    scope.fiveWords = FiveWords(1)
}
