import ScopedInjection
import Testing

/// The value through which another one is set.
private enum Naming: CaseIterable {
    case main, replica

    var other: Naming { self == .main ? .replica : .main }
    var value: ScopeValue<Int> { self == .main ? ScopeValues.main : ScopeValues.replica }
}

@Suite("R12: an alias forwards reads and sets in its scope and below")
struct AliasTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
    private let request: EnvironmentScope

    init() { request = EnvironmentScope.empty("request", parent: app) }

    // MARK: Reading

    @Test("A read of the alias returns the value of its target, set or default")
    func reading() {
        app.alias(\.replica, to: \.main)
        #expect([app.main, app.replica, request.replica] == [1, 1, 1])
        app.removeValue(for: \.main)
        #expect([app.main, app.replica] == [100, 100])
    }

    @Test("What is built under an alias is one instance")
    func oneInstance() {
        let (line, other) = (
            ScopeValue<Product>.lazy { _ in Product("") }, ScopeValue<Product>.lazy { _ in Product("") }
        )
        app.alias({ _ in other }, to: { _ in line })
        #expect(app[line] === app[other])
    }

    @Test("A value above the alias is read under the name of its target")
    func valueAbove() {
        app.replica = 2
        request.alias(\.replica, to: \.main)
        #expect(request.replica == 1)
        app.main = 3
        #expect(request.replica == 3)
        #expect(app.replica == 2)
    }

    // MARK: Setting

    @Test("A set of either value sets both, and the later of two counts", arguments: Naming.allCases)
    private func setting(_ way: Naming) {
        app.alias(\.replica, to: \.main)
        for (number, way) in [way, way.other, way].enumerated() {
            app[way.value] = number
            #expect([app.main, app.replica] == [number, number])
        }
    }

    @Test("A set in a child sets both there and leaves the parent as it is", arguments: Naming.allCases)
    private func settingInChild(_ way: Naming) {
        app.alias(\.replica, to: \.main)
        request[way.value] = 5
        #expect([request.main, request.replica, app.main, app.replica] == [5, 5, 1, 1])
    }

    @Test("Above and beside the scope of the alias the values stay two")
    func above() {
        app.replica = 2
        let sibling = EnvironmentScope.empty("sibling", parent: app)
        request.alias(\.replica, to: \.main)
        request.replica = 5
        #expect(request.main == 5)
        #expect([app.main, app.replica, sibling.main, sibling.replica] == [1, 2, 1, 2])
    }

    @Test("A builder provided for either value serves both, until the other is set", arguments: Naming.allCases)
    private func providing(_ way: Naming) {
        app.alias(\.replica, to: \.main)
        app.provide({ _ in way.value }) { _ in 5 }
        #expect([app.main, app.replica] == [5, 5])
        app[way.other.value] = 6
        #expect([app.main, app.replica] == [6, 6])
    }

    @Test(
        "What is built from either value is rebuilt when the other is set, here or in a child",
        arguments: Naming.allCases
    )
    private func rebuilding(_ way: Naming) {
        app.alias(\.replica, to: \.main)
        #expect([app.ofMain, app.ofReplica] == ["main 1", "replica 1"])
        request[way.value] = 2
        #expect([request.ofMain, request.ofReplica] == ["main 2", "replica 2"])
        #expect([app.ofMain, app.ofReplica] == ["main 1", "replica 1"])
        app[way.value] = 3
        #expect([app.ofMain, app.ofReplica] == ["main 3", "replica 3"])
    }

    @Test("What was built from the alias is rebuilt in a child that declares it, and shared elsewhere")
    func rebuildingUnderAlias() {
        app.replica = 2
        #expect(request.ofReplica == "replica 2")
        request.alias(\.replica, to: \.main)
        #expect(request.ofReplica == "replica 1")
        #expect(app.ofReplica == "replica 2")
    }

    // MARK: Before the alias

    @Test("The alias replaces what its scope had for it, set or provided", arguments: [true, false])
    func before(isProvided: Bool) {
        if isProvided { app.provide(\.replica) { _ in 5 } } else { app.replica = 5 }
        app.alias(\.replica, to: \.main)
        #expect([app.main, app.replica] == [1, 1])
    }

    @Test("What a child says of the alias itself wins over an outer alias, set or provided", arguments: [true, false])
    func inChildBefore(isProvided: Bool) {
        if isProvided { request.provide(\.replica) { _ in 5 } } else { request.replica = 5 }
        app.alias(\.replica, to: \.main)
        #expect([request.main, request.replica, app.replica] == [1, 5, 1])
    }

    @Test("Where a nearer scope says something of the alias itself, a set of the alias sets only that")
    func settingWhereItWins() {
        request.replica = 2
        let part = EnvironmentScope.empty("part", parent: request)
        app.alias(\.replica, to: \.main)
        request.replica = 3
        part.replica = 4
        #expect([app.main, request.main, part.main] == [1, 1, 1])
        #expect([app.replica, request.replica, part.replica] == [1, 3, 4])
        #expect(part.removeValue(for: \.replica) == 4)
        #expect(request.removeValue(for: \.replica) == 3)
        part.replica = 5
        #expect([app.main, request.main, part.main] == [1, 1, 5])
    }

    @Test("A second alias replaces the first")
    func declaredTwice() {
        app.backup = 2
        app.alias(\.replica, to: \.main)
        #expect(app.ofReplica == "replica 1")
        app.alias(\.replica, to: \.backup)
        #expect(app.ofReplica == "replica 2")
        app.replica = 3
        #expect([app.main, app.backup] == [1, 3])
    }

    // MARK: Removing

    @Test("Removing either value removes both, and leaves the alias", arguments: Naming.allCases)
    private func removing(_ way: Naming) {
        app.alias(\.replica, to: \.main)
        request.main = 5
        #expect(request.removeValue(for: { _ in way.value }) == 5)
        #expect([request.main, request.replica] == [1, 1])
        #expect(app.removeValue(for: { _ in way.value }) == 1)
        app.main = 6
        #expect(app.replica == 6)
    }

    @Test("Removing everything removes the aliases of that scope, and those only")
    func removingEverything() {
        app.alias(\.replica, to: \.main)
        request.alias(\.replica, to: \.backup)
        #expect(request.replica == 300)
        request.removeAll()
        #expect(request.replica == 1)
        app.removeAll()
        #expect([app.main, app.replica] == [100, 200])
    }
}
