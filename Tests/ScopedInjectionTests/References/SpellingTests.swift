import ScopedInjection
import Testing

/// The ways to write the same reference.
private enum Spelling: CaseIterable {
    case literal, keyType, keyPathVariable, closure, closureVariable

    private static let paths: [any KeyPath<EnvironmentScope, Int> & Sendable] = [\.port]
    private static let function: @Sendable (EnvironmentScope) -> Int = { $0.port }

    func make(in scope: EnvironmentScope? = nil) -> Injected<Int> {
        switch self {
        case .literal: Injected(\.port, scope: scope)
        case .keyType: Injected(key: PortKey.self, scope: scope)
        case .keyPathVariable: Injected(keyPath: Self.paths[0], scope: scope)
        case .closure: Injected({ scope in scope.port }, scope: scope)
        case .closureVariable: Injected(Self.function, scope: scope)
        }
    }
}

@Suite("R9: ways to refer to a value")
struct SpellingTests {
    private let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }

    @Test("All read from the current scope", arguments: Spelling.allCases)
    fileprivate func current(_ spelling: Spelling) {
        let reference = spelling.make()
        #expect(scope { reference() } == 1)
        scope.port = 2
        #expect(scope { reference() } == 2)
        #expect(reference.scope == nil)
    }

    @Test("All read from an explicit scope", arguments: Spelling.allCases)
    fileprivate func explicit(_ spelling: Spelling) {
        let reference = spelling.make(in: scope)
        let other = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        #expect(reference.scope === scope)
        #expect(other { reference() } == 1)
        reference.scope = other
        #expect(scope { reference() } == 2)
    }

    @Test("Properties take all of them, with a scope or without")
    func properties() {
        struct Holder {
            let path: any KeyPath<EnvironmentScope, Int> & Sendable
            @Injected(\.port) var literal
            @Injected(key: PortKey.self) var keyType
            @Injected({ $0.port + 1 }) var closure
            @Injected(key: HostKey.self) var host: String
            @Injected var variable: Int

            init(path: any KeyPath<EnvironmentScope, Int> & Sendable) {
                self.path = path
                _variable = Injected(keyPath: path)
            }
        }
        let holder = Holder(path: \.port)
        scope {
            #expect(holder.literal == 1)
            #expect(holder.keyType == 1)
            #expect(holder.closure == 2)
            #expect(holder.host == "localhost")
            #expect(holder.variable == 1)
        }
        @Injected(\.port, scope: scope) var explicit
        #expect(explicit == 1)
    }

    @Test("A path may go through optionals and on into a value")
    func paths() {
        let name = Injected(\.user?.name)
        let length = Injected(\.user?.name.count)
        let text = Injected(\.token.text)
        scope.token = Token(text: "secret")
        scope {
            #expect(name() == nil)
            #expect(length() == nil)
            scope.user = User(name: "Ada")
            #expect(name() == "Ada")
            #expect(length() == 3)
            #expect(text() == "secret")
        }
    }

    @Test("One whose scope is gone is not taken for one without a scope where references are checked")
    func scopeIsGone() throws {
        struct Holder { let port = Injected(\.port) }
        let holder = Holder()
        do {
            let short = EnvironmentScope.empty("short", parent: nil)
            short.replace(in: holder, options: .unowned)
        }
        let error = #expect(throws: ScopeError.self) { try scope.validateReferences(in: holder) }
        #expect(error?.code == .parentReleased)
        #expect(error?.description.contains(#"its scope "short" is gone"#) == true)
        #expect(error?.location?.line == holder.port.location.line)
    }

    @Test("The references of each instance of a sequence are checked")
    func checkedSequence() throws {
        struct Client { let token = Injected(key: TokenKey.self) }
        let error = #expect(throws: ScopeError.self) { try scope.validateReferences(in: [Client(), Client()]) }
        #expect(error?.failures.map(\.code) == [.missingValue, .missingValue])
        scope.token = Token(text: "secret")
        try scope.validateReferences(in: [Client(), Client()])
    }

    @Test("References to different values can be made from a list of paths")
    func listOfPaths() {
        let paths: [any KeyPath<EnvironmentScope, String> & Sendable] = [\.host, \.token.text, \.description]
        scope.token = Token(text: "secret")
        let texts = scope { paths.map { Injected(keyPath: $0)() } }
        #expect(texts == ["localhost", "secret", scope.description])
    }
}
