import ScopedInjection
import Testing

/// A key, and where its value comes from if no scope is missing.
private enum Lookup: CaseIterable {
    case constant, optional, built, scoped, transient, setOutside, providedOutside

    private enum BuiltKey: ScopeKey { static func makeValue(in scope: EnvironmentScope) -> String { "built" } }
    private enum ScopedKey: ScopeKey {
        static var lifetime: ValueLifetime { .scoped }
        static let defaultValue = "scoped"
    }
    private enum TransientKey: ScopeKey {
        static var lifetime: ValueLifetime { .transient }
        static let defaultValue = "transient"
    }
    private enum ProvidedKey: ScopeKey { typealias Value = String }

    static func prepare(_ outer: EnvironmentScope) {
        outer.token = Token(text: "set")
        outer.provide(ProvidedKey.self) { _ in "provided" }
    }

    func read(in scope: EnvironmentScope) throws -> Any {
        switch self {
        case .constant: try scope.value(for: HostKey.self)
        case .optional: try scope.value(for: UserKey.self) as Any
        case .built: try scope.value(for: BuiltKey.self)
        case .scoped: try scope.value(for: ScopedKey.self)
        case .transient: try scope.value(for: TransientKey.self)
        case .setOutside: try scope.value(for: TokenKey.self)
        case .providedOutside: try scope.value(for: ProvidedKey.self)
        }
    }
}

@Suite("R8: reads past a scope that is gone")
struct GapTests {
    @Test(
        "They fail, naming both scopes, and never fall through to a default",
        arguments: Lookup.allCases,
        [true, false]
    )
    fileprivate func gap(_ lookup: Lookup, isReadBefore: Bool) throws {
        let outer = EnvironmentScope("outer", parent: nil) { Lookup.prepare($0) }
        var middle: EnvironmentScope? = EnvironmentScope.empty("middle", parent: outer)
        let inner = EnvironmentScope.empty("inner", parent: middle)
        if isReadBefore { _ = try lookup.read(in: inner) }
        middle = nil
        let error = #expect(throws: ScopeError.self) { try lookup.read(in: inner) }
        #expect(error?.code == .parentReleased)
        let text = error?.description ?? ""
        #expect(text.contains("\"inner\""))
        #expect(text.contains("\"middle\""))
        #expect(throws: Never.self) { try lookup.read(in: outer) }
    }

    @Test("Below a scope that a builder made, the one that kept it is named")
    func belowKeeper() {
        let session = ScopeValue<EnvironmentScope>(name: "session") { scope in .empty("session", parent: scope) }
        let made = { EnvironmentScope.empty("app", parent: nil)[session] }()
        let error = #expect(throws: ScopeError.self) { try made.value(for: TokenKey.self) }
        #expect(error?.description.contains(#""app", the parent of "session", is gone"#) == true)
        #expect(error?.searchedScopes == [#""session""#, #""app" (gone)"#])
        #expect("\(made)" == #"EnvironmentScope("session" → "app" (gone))"#)
    }

    @Test("They fail in every scope below the gap, naming the scopes on both sides of it")
    func deeper() {
        var outer: EnvironmentScope? = EnvironmentScope("outer", parent: nil) { $0.port = 1 }
        let middle = EnvironmentScope.empty("middle", parent: outer)
        let inner = EnvironmentScope.empty("inner", parent: middle)
        outer = nil
        for scope in [middle, inner] {
            let error = #expect(throws: ScopeError.self) { try scope.value(for: PortKey.self) }
            #expect(error?.code == .parentReleased)
            #expect(error?.description.contains("\"outer\"") == true)
            #expect(error?.description.contains("\"middle\"") == true)
        }
    }

    @Test("Values that are set or provided below the gap can still be read")
    func belowTheGap() throws {
        var outer: EnvironmentScope? = EnvironmentScope("outer", parent: nil) { $0.port = 1 }
        let middle = EnvironmentScope("middle", parent: outer) { $0.host = "middle" }
        middle.provide(TokenKey.self) { scope in Token(text: "token of \(scope.host)") }
        let inner = EnvironmentScope("inner", parent: middle) { $0.user = User(name: "inner") }
        outer = nil
        #expect(try inner.value(for: UserKey.self) == User(name: "inner"))
        #expect(try inner.value(for: HostKey.self) == "middle")
        #expect(try inner.value(for: TokenKey.self) == Token(text: "token of middle"))
        inner.port = 3
        #expect(try inner.value(for: PortKey.self) == 3)
    }

    @Test("A new parent closes the gap")
    func closing() {
        var old: EnvironmentScope? = EnvironmentScope("old", parent: nil) { $0.port = 1 }
        let child = EnvironmentScope.empty("child", parent: old)
        old = nil
        #expect(throws: ScopeError.self) { try child.value(for: PortKey.self) }
        let new = EnvironmentScope("new", parent: nil) { $0.port = 2 }
        child.parent = new
        #expect(child.port == 2)
        child.parent = nil
        #expect(child.port == 8080)
    }
}
