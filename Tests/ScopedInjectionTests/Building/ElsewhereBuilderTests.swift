import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let result = ScopeValue<String>.required()
    fileprivate static let detail = ScopeValue<String>.required()
    fileprivate static let primary = ScopeValue("primary")
    fileprivate static let standby = ScopeValue("standby")
}

@Suite("R4: what other threads do in the scopes that a builder made", .serialized)
struct ElsewhereBuilderTests {
    private let app, alice, bob: EnvironmentScope

    init() { (app, alice, bob) = makeRequests() }

    @Test("What a builder there reads through one of them is an input", arguments: [false, true])
    func builderElsewhere(isElsewhere: Bool) {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            let alone = EnvironmentScope("alone", parent: nil) { $0.provide(\.detail) { _ in own.person ?? "nobody" } }
            return elsewhere(if: isElsewhere) { alone.detail }
        }
        #expect(alice.result == "alice")
        #expect(bob.result == "bob")
    }

    @Test("What is built there in one of them is no input, but what that is built from", arguments: [false, true])
    func builtInOwn(isElsewhere: Bool) {
        let builds = Box(0)
        app.provide(\.result) { scope in
            builds.update { $0 += 1 }
            let own = EnvironmentScope.empty("own", parent: scope)
            own.provide(\.detail) { [unowned own] _ in own.person ?? "nobody" }
            return elsewhere(if: isElsewhere) { own.detail }
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
            elsewhere {
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
    func belowCaptured(isElsewhere: Bool) {
        app.provide(\.result) { [unowned alice] _ in
            let own = EnvironmentScope.empty("own", parent: alice)
            return elsewhere(if: isElsewhere) { own.person ?? "nobody" }
        }
        #expect(bob.result == "alice")
        alice.person = "other"
        #expect(bob.result == "other")
    }

    @Test("A set there records the aliases that it follows", arguments: [false, true])
    func setThere(isElsewhere: Bool) {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            elsewhere(if: isElsewhere) { own.primary = "set" }
            return own.localValue(for: \.standby) ?? "none"
        }
        alice.alias(\.primary, to: \.standby)
        #expect(alice.result == "set")
        #expect(bob.result == "none")
    }

    @Test("A set there that followed no alias is made again when there is one", arguments: [false, true])
    func setWithoutAlias(isElsewhere: Bool) {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            elsewhere(if: isElsewhere) { own.primary = "set" }
            return own.standby
        }
        bob.alias(\.primary, to: \.standby)
        #expect(alice.result == "standby")
        #expect(bob.result == "set")
    }
}
