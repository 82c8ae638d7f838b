import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let person = ScopeValue<String?>()
    fileprivate static let result = ScopeValue<String>.required()
    fileprivate static let detail = ScopeValue<String>.required()
    fileprivate static let primary = ScopeValue("primary")
    fileprivate static let standby = ScopeValue("standby")
}

@Suite("R4: what other threads do in the scopes that a builder made", .serialized)
struct ElsewhereBuilderTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let alice: EnvironmentScope
    private let bob: EnvironmentScope

    init() {
        alice = EnvironmentScope("alice", parent: app) { $0.person = "alice" }
        bob = EnvironmentScope("bob", parent: app) { $0.person = "bob" }
    }

    /// Reads on this thread or on another one.
    private static func read(elsewhere: Bool, _ body: @escaping @Sendable () -> String) -> String {
        guard elsewhere else { return body() }
        let result = Box("")
        onThread { result.value = body() }.wait()
        return result.value
    }

    @Test("What a builder there reads through one of them is an input", arguments: [false, true])
    func builderElsewhere(elsewhere: Bool) {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            let alone = EnvironmentScope("alone", parent: nil) { $0.provide(\.detail) { _ in own.person ?? "nobody" } }
            return Self.read(elsewhere: elsewhere) { alone.detail }
        }
        #expect(alice.result == "alice")
        #expect(bob.result == "bob")
    }

    @Test("What is built there in one of them is no input, but what that is built from", arguments: [false, true])
    func builtInOwn(elsewhere: Bool) {
        let builds = Box(0)
        app.provide(\.result) { scope in
            builds.update { $0 += 1 }
            let own = EnvironmentScope.empty("own", parent: scope)
            own.provide(\.detail) { [unowned own] _ in own.person ?? "nobody" }
            return Self.read(elsewhere: elsewhere) { own.detail }
        }
        for _ in 0..<3 { #expect(alice.result == "alice") }
        #expect(builds.value == 1)
        #expect(bob.result == "bob")
    }

    enum Maker: CaseIterable {
        /// The other thread's builder makes the scope below the first builder's.
        case builder
        /// It reads through one that a builder, which is over, made there.
        case former
        /// It reads without a builder through such a scope.
        case formerAlone
    }

    @Test(
        "What a builder there reads through a scope that it made below one of them is an input",
        arguments: Maker.allCases
    )
    func madeElsewhere(_ maker: Maker) {
        app.provide(\.result) { scope in
            Self.read(elsewhere: true) {
                let alone = EnvironmentScope.empty("alone", parent: nil)
                let made = Box<EnvironmentScope?>(nil)
                defer { made.value = nil }
                alone.provide(\.primary) { _ in
                    made.value = EnvironmentScope.empty("made", parent: scope)
                    return maker == .builder ? made.value?.person ?? "nobody" : ""
                }
                alone.provide(\.standby) { _ in made.value?.person ?? "nobody" }
                let primary = alone.primary
                switch maker {
                case .builder: return primary
                case .former: return alone.standby
                case .formerAlone: return made.value?.person ?? "nobody"
                }
            }
        }
        #expect(alice.result == "alice")
        #expect(bob.result == "bob")
    }

    @Test("What is read there through one that lies below a captured scope is an input", arguments: [false, true])
    func belowCaptured(elsewhere: Bool) {
        app.provide(\.result) { [unowned alice] _ in
            let own = EnvironmentScope.empty("own", parent: alice)
            return Self.read(elsewhere: elsewhere) { own.person ?? "nobody" }
        }
        #expect(bob.result == "alice")
        alice.person = "other"
        #expect(bob.result == "other")
    }

    @Test("A set there records the aliases that it follows", arguments: [false, true])
    func setThere(elsewhere: Bool) {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            _ = Self.read(elsewhere: elsewhere) {
                own.primary = "set"
                return ""
            }
            return own.localValue(for: \.standby) ?? "none"
        }
        alice.alias(\.primary, to: \.standby)
        #expect(alice.result == "set")
        #expect(bob.result == "none")
    }

    @Test("A set there that followed no alias is made again when there is one", arguments: [false, true])
    func setWithoutAlias(elsewhere: Bool) {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            _ = Self.read(elsewhere: elsewhere) {
                own.primary = "set"
                return ""
            }
            return own.standby
        }
        bob.alias(\.primary, to: \.standby)
        #expect(alice.result == "standby")
        #expect(bob.result == "set")
    }
}
