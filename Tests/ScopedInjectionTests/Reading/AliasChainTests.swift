import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static func link(_ number: Int) -> ScopeValue<Int> { .value(0, id: number) }
    fileprivate static var last: ScopeValue<Int> { .value(0) }
}

@Suite("R12: several aliases, and circles of them")
struct AliasChainTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }

    @Test("A chain of aliases makes all its values one", arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    func chain(order: [Int]) {
        let declare: [(EnvironmentScope) -> Void] = [
            { $0.alias(\.replica, to: \.main) }, { $0.alias(\.backup, to: \.replica) },
            { $0.alias(\.archive, to: \.backup) },
        ]
        for index in order { declare[index](app) }
        #expect([app.main, app.replica, app.backup, app.archive] == [1, 1, 1, 1])
        app.backup = 2
        #expect([app.main, app.replica, app.backup, app.archive] == [2, 2, 2, 2])
    }

    @Test("A chain of aliases may lie in several scopes")
    func chainOfScopes() {
        app.alias(\.replica, to: \.main)
        let request = EnvironmentScope.empty("request", parent: app)
        request.alias(\.backup, to: \.replica)
        request.backup = 2
        #expect([request.main, request.replica, request.backup] == [2, 2, 2])
        #expect([app.main, app.replica, app.backup] == [1, 1, 300])
    }

    // MARK: Circles

    @Test("If a new parent closes a circle of aliases, reads of their values fail, and no others")
    func cycleByParent() throws {
        app.alias(\.replica, to: \.main)
        let request = EnvironmentScope("request", parent: nil) { $0.port = 1 }
        request.alias(\.main, to: \.replica)
        #expect(request.main == 200)
        request.parent = app

        let error = try #require(throws: ScopeError.self) { try request.value(for: \.main) }
        #expect(error.code == .cycle)
        #expect(error.name == "main")
        #expect(error.path == ["main", "replica", "main"])
        #expect(throws: ScopeError.self) { try request.value(for: \.replica) }
        #expect([app.replica, request.port] == [1, 1])
        #expect(request.host == "localhost")

        request.parent = nil
        #expect(request.main == 200)
        request.parent = app
        request.removeAll()
        #expect(request.main == 1)
    }

    @Test("The error names each alias of the circle once, wherever it begins", arguments: [1, 2, 5, 20])
    func circleFurtherAlong(count: Int) throws {
        for back in 0..<count {
            let app = EnvironmentScope.empty("app", parent: nil)
            for number in 1..<count { app.alias({ $0.link(number - 1) }, to: { $0.link(number) }) }
            app.alias({ $0.link(count - 1) }, to: \.last)
            let request = EnvironmentScope.empty("request", parent: nil)
            request.alias(\.last, to: { $0.link(back) })
            request.parent = app
            let error = try #require(throws: ScopeError.self) { try request.value(for: { $0.link(0) }) }
            let names = (back..<count).map { "link(\($0))" }
            #expect(error.path == names + ["last", names[0]])
        }
    }

    @Test("An alias that closes a circle ends the program")
    func circleByAlias() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.alias(\.replica, to: \.main)
            app.alias(\.main, to: \.replica)
        }
        expect(result, says: "The aliases of main (Int) go round in a circle: main → replica → main.")
    }

    @Test("Setting a value whose aliases go round in a circle ends the program")
    func setInCircle() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.alias(\.replica, to: \.main)
            let request = EnvironmentScope.empty("request", parent: nil)
            request.alias(\.main, to: \.replica)
            request.parent = app
            request.main = 1
        }
        expect(result, says: "The aliases of main (Int) go round in a circle: main → replica → main.")
    }

    // MARK: Gone

    @Test("The alias of a scope that is gone is not used: the read is an error")
    func goneScope() throws {
        var app: EnvironmentScope? = .empty("app", parent: nil)
        app?.alias(\.replica, to: \.main)
        let request = EnvironmentScope.empty("request", parent: app)
        request.main = 1
        #expect(try request.value(for: \.replica) == 1)
        app = nil
        #expect(throws: ScopeError.self) { try request.value(for: \.replica) }
        #expect(try request.value(for: \.main) == 1)
    }
}
