internal import BlackHole
public import ScopedInjection

/// Reads values as a program does, `count` times one after the other.
public struct Handler: Sendable {
    @Injected(\.port) var port
    @Injected(\.adminPort) var adminPort
    @Injected(\.service) var service
    @Injected(\.otherService) var otherService
    @Injected(\.greeter) var greeter
    @Injected(\.user) var user
    @Injected(\.user?.id) var userID
    @Injected({ $0.user?.id }) var userIDByFunction
    @Injected(\.fiveWords) var fiveWords
    @Injected(\.constant) var constant
    @Injected(\.derived) var derived

    /// Creates a handler; its references have no scope of their own.
    public init() {}

    /// Reads an integer.
    @inline(never)
    public func readPort(_ count: Int) {
        for _ in 0..<count { blackHole(port) }
    }

    /// Reads another integer.
    @inline(never)
    public func readAdminPort(_ count: Int) {
        for _ in 0..<count { blackHole(adminPort) }
    }

    /// Reads an object.
    @inline(never)
    public func readService(_ count: Int) {
        for _ in 0..<count { blackHole(service.number) }
    }

    /// Reads another object.
    @inline(never)
    public func readOtherService(_ count: Int) {
        for _ in 0..<count { blackHole(otherService.number) }
    }

    /// Reads an existential.
    @inline(never)
    public func readGreeter(_ count: Int) {
        for _ in 0..<count { blackHole(greeter.number) }
    }

    /// Reads an optional value.
    @inline(never)
    public func readUser(_ count: Int) {
        for _ in 0..<count { blackHole(user?.id ?? 0) }
    }

    /// Reads a part of an optional value.
    @inline(never)
    public func readUserID(_ count: Int) {
        for _ in 0..<count { blackHole(userID ?? 0) }
    }

    /// Reads a part of an optional value by a function.
    @inline(never)
    public func readUserIDByFunction(_ count: Int) {
        for _ in 0..<count { blackHole(userIDByFunction ?? 0) }
    }

    /// Reads a value of five words.
    @inline(never)
    public func readFiveWords(_ count: Int) {
        for _ in 0..<count { blackHole(fiveWords.words.4) }
    }

    /// Reads a constant that nobody set.
    @inline(never)
    public func readConstant(_ count: Int) {
        for _ in 0..<count { blackHole(constant) }
    }

    /// Reads a value that was built from another value.
    @inline(never)
    public func readDerived(_ count: Int) {
        for _ in 0..<count { blackHole(derived.number) }
    }

    /// Reads through the property of a scope, without a reference.
    @inline(never)
    public static func readPort(of scope: EnvironmentScope, _ count: Int) {
        for _ in 0..<count { blackHole(scope.port) }
    }
}

/// A struct of five references.
public struct FiveReferences: Sendable {
    @Injected(\.port) var port
    @Injected(\.adminPort) var adminPort
    @Injected(\.limit) var limit
    @Injected(\.timeout) var timeout
    @Injected(\.retries) var retries

    /// Creates the five references.
    public init() {}

    /// Creates such structs.
    @inline(never)
    public static func create(_ count: Int) {
        for _ in 0..<count { use(FiveReferences()) }
    }

    /// Reads all five.
    @inline(never)
    public func read(_ count: Int) {
        for _ in 0..<count { readOnce() }
    }

    @inline(__always)
    func readOnce() { blackHole(port &+ adminPort &+ limit &+ timeout &+ retries) }

    /// Needs all five, so that each has to be made.
    @inline(never)
    private static func use(_ references: FiveReferences) {
        let all = [
            ObjectIdentifier(references.$port), ObjectIdentifier(references.$adminPort),
            ObjectIdentifier(references.$limit), ObjectIdentifier(references.$timeout),
            ObjectIdentifier(references.$retries),
        ]
        blackHole(all.reduce(0) { $0 ^ Int(bitPattern: $1) })
    }
}

/// An object that holds a struct of five references.
public final class Controller: Sendable {
    let references = FiveReferences()

    /// Creates a controller.
    public init() {}
}
