import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let person = ScopeValue<String?>()
    fileprivate static let result = ScopeValue<String>.required()
    fileprivate static let detail = ScopeValue<String>.required()
    fileprivate static let primary = ScopeValue("primary")
    fileprivate static let standby = ScopeValue("standby")
    fileprivate static let asker = ScopeValue<EnvironmentScope?>()
    fileprivate static let row = ScopeValue<[EnvironmentScope]>.required()
    fileprivate static let innermost = ScopeValue<EnvironmentScope>.required()
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

    @Test(
        "What is read there through a scope that was moved below is only for the asking scope",
        arguments: [false, true]
    )
    func movedBelow(isBelowOwn: Bool) {
        let moved = EnvironmentScope.empty("moved", parent: nil)
        app.provide(\.result) { scope in
            Self.read(elsewhere: true) {
                let own = isBelowOwn ? EnvironmentScope.empty("own", parent: scope) : nil
                moved.parent = own ?? scope
                return moved.person ?? "nobody"
            }
        }
        #expect(alice.result == "alice")
        #expect(bob.result == "bob")
        #expect(app.result == "nobody")
    }

    @Test("A builder that moves a scope of its own may share its value")
    func ownMoved() {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: nil)
            let row = EnvironmentScope.empty("row", parent: own)
            own.parent = scope
            row.parent = scope
            return own.primary + row.primary
        }
        #expect(alice.result == "primaryprimary")
        #expect(app.localValue(for: \.result) == "primaryprimary")
    }

    /// Provides a value whose builder has other builders make a scope within one that they make, and reads when they are over.
    private func provideInnermost(_ read: @escaping @Sendable (EnvironmentScope) -> String) {
        app.provide(\.result) { scope in
            let outer = EnvironmentScope("outer", parent: scope) { $0.asker = scope }
            outer.provide(\.row) { outer in
                let middle = EnvironmentScope.empty("middle", parent: outer.asker ?? outer)
                middle.provide(\.innermost) { [unowned middle] _ in .empty("inner", parent: middle) }
                return [middle, middle.innermost]
            }
            let row = outer.row
            outer.asker = nil
            return Self.read(elsewhere: true) { read(row[1]) }
        }
    }

    @Test("What is read there through scopes whose makers are over is an input of the build around them")
    func makersOver() {
        provideInnermost { inner in inner.person ?? "nobody" }
        #expect(alice.result == "alice")
        #expect(bob.result == "bob")
    }

    @Test("So is what is read through a scope that is made there below them")
    func madeBelowMakersOver() {
        provideInnermost { inner in EnvironmentScope.empty("below", parent: inner).person ?? "nobody" }
        #expect(alice.result == "alice")
        #expect(bob.result == "bob")
    }

    @Test(
        "What is read or explained there is an input of a build within that made the scope",
        arguments: [false, true]
    )
    func madeWithin(isExplained: Bool) {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            own.provide(\.detail) { [unowned own] _ in
                let made = EnvironmentScope.empty("made", parent: own)
                return Self.read(elsewhere: true) { isExplained ? "\(made.explain(\.primary))" : made.primary }
            }
            let before = own.detail
            own.primary = "other"
            return own.detail == before ? "the same" : "another one"
        }
        #expect(alice.result == "another one")
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
