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

extension ScopeValues {
    /// An integer.
    public static let port = ScopeValue(8080)
    /// An integer.
    public static let adminPort = ScopeValue(8081)
    /// An integer.
    public static let limit = ScopeValue(100)
    /// An integer.
    public static let timeout = ScopeValue(30)
    /// An integer.
    public static let retries = ScopeValue(3)
    /// An object.
    public static let service = ScopeValue(Service())
    /// Another object.
    public static let otherService = ScopeValue(Service())
    /// An existential.
    public static let greeter = ScopeValue<any Greeter>(Service())
    /// An optional value.
    public static let user = ScopeValue<User?>()
    /// A value of five words.
    public static let fiveWords = ScopeValue(FiveWords(1))
    /// A default without inputs.
    public static let constant = ScopeValue(1)
    /// A default that is built from `port`.
    public static let derived = ScopeValue { scope in Service(number: scope.port) }
}

/// Sets a value of each kind.
///
/// Here, because debug builds of Swift 6.3 crash on key paths to the stored properties of another module.
public func setOneOfEach(in scope: EnvironmentScope) {
    scope.port = 1
    scope.service = Service()
    scope.greeter = Service()
    scope.user = User(id: 1, name: "Ada")
    scope.fiveWords = FiveWords(1)
}
