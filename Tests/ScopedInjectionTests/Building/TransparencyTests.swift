import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var first: ScopeValue<Int> { .value(1) }
    fileprivate static var second: ScopeValue<Int> { .value(2) }
    fileprivate static var sum: ScopeValue<Int> { .lazy { try $0.first + $0.second } }
    fileprivate static var double: ScopeValue<Int> { .lazy { try $0.sum * 2 } }
    fileprivate static var isFirst: ScopeValue<Bool> { .value(true) }
    fileprivate static var choice: ScopeValue<Int> { .lazy { try $0.isFirst ? $0.first : $0.second } }
    fileprivate static var secret: ScopeValue<String> { .required() }
    /// Goes on without what is missing.
    fileprivate static var signature: ScopeValue<String> { .lazy { (try? $0.secret) ?? "unsigned" } }
    fileprivate static var page: ScopeValue<String> { .lazy { try $0.signature + "!" } }
}

@Suite("R2: what a read gives depends on what is set at that moment, not on earlier reads", .programRoots)
struct TransparencyTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)

    init() { (app, request) = makeScopes() }

    @Test("An input that is set after the value was built counts", arguments: [true, false])
    func setLater(isReadBefore: Bool) {
        if isReadBefore { #expect(request.double == 6) }
        app.first = 10
        #expect(request.double == 24)
        request.second = 0
        #expect(request.double == 20)
        #expect(app.double == 24)
    }

    @Test("The scope that is read first makes no difference", arguments: [true, false])
    func order(isRequestFirst: Bool) {
        request.first = 5
        let scopes = isRequestFirst ? [request, app] : [app, request]
        let found = scopes.map(\.double)
        #expect(found == (isRequestFirst ? [14, 6] : [6, 14]))
        #expect((app.sum, request.sum) == (3, 7))
    }

    @Test("An override that is removed leaves nothing behind") func removed() {
        request.first = 5
        #expect(request.double == 14)
        #expect(request.removeValue(for: \.first) == 5)
        #expect(request.double == 6)
        app.provide(\.first) { _ in 7 }
        #expect(request.double == 18)
        app.removeValue(for: \.first)
        #expect(request.double == 6)
    }

    @Test("A condition decides which inputs there are") func condition() {
        #expect(request.choice == 1)
        request.second = 9
        #expect(request.choice == 1)
        app.isFirst = false
        #expect((request.choice, app.choice) == (9, 2))
        app.first = 100
        #expect((request.choice, app.choice) == (9, 2))
    }

    @Test("What a builder did without is seen once it is there, in what is built from it too") func missingInput() {
        #expect((request.signature, request.page) == ("unsigned", "unsigned!"))
        request.secret = "Ada"
        #expect((request.signature, request.page) == ("Ada", "Ada!"))
        #expect((app.signature, app.page) == ("unsigned", "unsigned!"))
        app.secret = "all"
        request.removeValue(for: \.secret)
        #expect((request.page, app.page) == ("all!", "all!"))
    }

    @Test("A failure is no more kept than what it needed") func failure() throws {
        app.provide(\.secret) { try $0.token.text }
        #expect(throws: ScopeError.self) { try request.value(for: \.secret) }
        app.token = Token(text: "t")
        #expect(try request.value(for: \.secret) == "t")
        app.removeValue(for: \.token)
        #expect(throws: ScopeError.self) { try request.value(for: \.secret) }
    }

    @Test("A policy is an input: what a default was built for is not given where defaults are forbidden")
    func policies() throws {
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        let free = EnvironmentScope.empty("free", parent: test, defaults: .allowed)
        #expect((app.sum, free.sum) == (3, 3))
        let error = #expect(throws: ScopeError.self) { try test.value(for: \.sum) }
        #expect(error?.code == .defaultForbidden)
        test.first = 10
        test.second = 20
        test.provide(\.sum) { try $0.first + $0.second }
        #expect(try test.value(for: \.sum) == 30)
        #expect(app.sum == 3)
    }

    @Test("Values of a row and of a diamond are right after each change") func rows() {
        let row = makeRow(100)
        #expect(request[row[99]] == 99)
        app[row[0]] = 1_000
        #expect(request[row[99]] == 1_099)
        request[row[50]] = 0
        #expect((request[row[99]], app[row[99]]) == (49, 1_099))
        app[row[10]] = 0
        #expect((request[row[99]], app[row[99]]) == (49, 89))
        request.removeValue { _ in row[50] }
        #expect(request[row[99]] == 89)
    }

    @Test("Each value of a row is built once for a request that overrides its beginning") func rebuiltRow() {
        let builds = Box(0)
        let row = makeRow(301) { _ in builds.update { $0 += 1 } }
        #expect(app[row[300]] == 300)
        #expect(builds.value == 300)
        for number in 2...4 {
            let scope = EnvironmentScope("request", parent: app) { $0[row[0]] = number * 1_000 }
            #expect(scope[row[300]] == number * 1_000 + 300)
            #expect(scope[row[150]] == number * 1_000 + 150)
            #expect(app[row[300]] == 300)
        }
        #expect(builds.value == 300 * 4)
    }

    @Test("Each input counts once, however many ways lead to it: sixty values, each built from the two before it")
    func manyWays() {
        var values: [ScopeValue<Int>] = [.value(1, id: ["way", "0"]), .value(1, id: ["way", "1"])]
        for number in 2..<60 {
            let (one, other) = (values[number - 2], values[number - 1])
            values.append(.lazy(id: ["way", "\(number)"]) { reader in try (reader[one] + reader[other]) % 1_000 })
        }
        let request = EnvironmentScope.empty(parent: app)
        #expect(request[values[59]] == 920)
        request[values[0]] = 2
        #expect(request[values[59]] == 799)
        #expect(app[values[59]] == 920)
        #expect(request.explain({ _ in values[59] }).keptBecause != nil)
    }

    @Test("A value follows each input of an input, whatever it has read itself") func manyInputsOfInput() {
        let values = (0..<80).map { ScopeValue<Int>.value($0, id: "inputs of an input \($0)") }
        app.provide(\.first) { reader in try values[..<40].reduce(0) { try $0 + reader[$1] } }
        app.provide(\.sum) { reader in try values[40...].reduce(0) { try $0 + reader[$1] } + reader.first }
        #expect(app.sum == 40 * 79)
        for number in 0..<40 {
            app[values[number]] += 1
            #expect(app.sum == 40 * 79 + number + 1)
        }
    }

    @Test("A value with hundreds of inputs follows each of them") func manyInputs() {
        let values = (0..<200).map { ScopeValue<Int>.value($0, id: "many inputs \($0)") }
        app.provide(\.sum) { reader in try (values + values).reduce(0) { try $0 + reader[$1] } }
        #expect(request.sum == 2 * 199 * 100)
        request[values[150]] = 0
        #expect(request.sum == 2 * (199 * 100 - 150))
        #expect(app.sum == 2 * 199 * 100)
    }
}
