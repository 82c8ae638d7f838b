import Dispatch
import Foundation
import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static var caller: ScopeValue<String> { .value("nobody") }
    fileprivate static var depth: ScopeValue<Int> { .value(0) }
    fileprivate static var party: ScopeValue<Party> { .required() }
    /// Meets the other builders, and then reads what requests override.
    fileprivate static var late: ScopeValue<Product> { .lazy { try $0.meet { try $0.caller } } }
    fileprivate static var ofLate: ScopeValue<Product> { .lazy { Product("of \(try $0.late.text)") } }
    fileprivate static var session: ScopeValue<Product> { .lazy(.once(in: .request)) { try $0.meet { try $0.caller } } }
    fileprivate static var transient: ScopeValue<Product> { .lazy(.transient) { try $0.meet { _ in "transient" } } }
    fileprivate static var mark: ScopeValue<Product> { .lazy(.once(in: .request)) { _ in Product("mark") } }
    fileprivate static var ofMark: ScopeValue<Product> { .lazy { try $0.meet { try $0.mark.text } } }
    fileprivate static var changing: ScopeValue<Product> {
        .lazy { try $0.meet { try $0.depth > 0 ? $0.caller : "flat" } }
    }
}

extension ScopeReader {
    /// A product whose builder meets the others, and then reads its text.
    fileprivate func meet(_ text: (ScopeReader) throws -> String) throws -> Product {
        try self[ScopeValues.party].meet()
        return Product(try text(self))
    }
}

extension WaitingTests {
    @Test("A build is found where it goes on, also if the last one was kept further out", arguments: 0..<20)
    func announcedFurtherIn(round: Int) {
        let probe = Probe()
        let app = EnvironmentScope("app", parent: nil) { $0.depth = 1 }
        app.provide(\.late) { reader in
            let text = try reader.depth > 0 ? reader.caller : "flat"
            if text == "mine" { probe.noteBuild() }
            return Product(text)
        }
        func request(_ configure: (EnvironmentScope) -> Void) -> EnvironmentScope {
            EnvironmentScope("request", parent: app, configure)
        }
        #expect(request { $0.caller = "another" }.late.text == "another")
        let mine = request { $0.caller = "mine" }
        probe.overlap {
            #expect(mine.late.text == "mine")
        } meanwhile: {
            // Kept further out than the last builds let expect.
            let flat = request { $0.depth = 0 }
            #expect(EnvironmentScope("part", parent: flat) { $0.caller = "nobody asks" }.late.text == "flat")
        } _: {
            #expect(mine.late.text == "mine")
        }
        #expect(probe.builds.load(ordering: .relaxed) == 1)
    }
}

/// Counts builds, and lets builders go on once enough of them have begun.
private final class Party: Sendable {
    private struct State: Sendable {
        var builds = 0
        var met = 0
        var expected = 1
        var isAlone = false
    }
    private let state = Box(State())
    private let all = DispatchSemaphore(value: 0)

    var builds: Int { state.value.builds }
    /// Whether a builder waited for the others in vain.
    var isAlone: Bool { state.value.isAlone }

    /// Makes the builders that begin from now on wait for each other.
    func expect(_ count: Int) {
        state.update { state in
            state.expected = count
            state.met = 0
        }
    }

    func meet() {
        let (isLast, expected) = state.update { state in
            state.builds += 1
            state.met += 1
            return (state.met == state.expected, state.expected)
        }
        if isLast {
            for _ in 1..<expected { all.signal() }
        } else if expected > 1, all.wait(timeout: .now() + hangLimit) == .timedOut {
            // The time runs out only if one builder holds back another.
            state.update { $0.isAlone = true }
        }
    }
}

private typealias Path = @Sendable (ScopeValues.Type) -> ScopeValue<Product>

@Suite("R5: a read waits for a build only if it needs that value, as the last build tells", .programRoots)
struct WaitingTests {
    private let party = Party()
    private let app: EnvironmentScope

    init() { app = EnvironmentScope.empty("app", parent: nil).with(\.party, party) }

    private func read(_ value: @escaping Path, in scopes: [EnvironmentScope]) async -> [Product] {
        let results = Box<[Product?]>(scopes.map { _ in nil })
        await onThreads(scopes.count) { index in
            let result = scopes[index][value(ScopeValues.self)]
            results.update { $0[index] = result }
        }
        return results.value.compactMap { $0 }
    }

    private func requests(_ count: Int, overriding: Bool) -> [EnvironmentScope] {
        (0..<count).map { number in
            EnvironmentScope("request \(number)", role: .request, parent: app) {
                if overriding { $0.caller = "\(number)" }
            }
        }
    }

    private func count(_ products: [Product]) -> Int { Set(products.map { ObjectIdentifier($0) }).count }

    @Test("Requests that override an input do not wait for each other", arguments: ["", "of ", "provided "])
    func overriding(prefix: String) async {
        if prefix == "provided " { app.provide(\.late) { try $0.meet { prefix + (try $0.caller) } } }
        let value: Path = prefix == "of " ? \.ofLate : \.late
        #expect(app[value(ScopeValues.self)].text == prefix + "nobody")
        party.expect(4)
        #expect(await read(value, in: requests(4, overriding: true)).map(\.text) == (0..<4).map { "\(prefix)\($0)" })
        #expect(!party.isAlone && party.builds == 5)
    }

    @Test("Requests that override an input of a decoration do not wait for each other for what it decorates")
    func decorated() async {
        app.decorate(\.late) { inherited, reader in Product("\(inherited.text) at \(try reader.depth)") }
        #expect(app.late.text == "nobody at 0")
        party.expect(3)
        let requests = (1...3).map { depth in EnvironmentScope(parent: app) { $0.depth = depth } }
        #expect(await read(\.late, in: requests).map(\.text) == ["nobody at 1", "nobody at 2", "nobody at 3"])
        #expect(!party.isAlone)
    }

    @Test("Values that stay in several requests do not wait for each other, the first time or later")
    func staying() async {
        for round in 0..<2 {
            party.expect(3)
            #expect(count(await read(\.session, in: requests(3, overriding: round == 1))) == 3)
        }
        #expect(!party.isAlone && party.builds == 6)
    }

    @Test("Transient values of one scope do not wait for each other") func transient() async {
        party.expect(3)
        #expect(count(await read(\.transient, in: [app, app, app])) == 3)
        #expect(!party.isAlone)
    }

    @Test("Values that are built from those that stay in several requests do not wait for each other")
    func builtFromWhatStays() async {
        #expect(requests(1, overriding: false)[0].ofMark.text == "mark")
        party.expect(3)
        #expect(count(await read(\.ofMark, in: requests(3, overriding: false))) == 3)
        #expect(!party.isAlone && party.builds == 4)
    }

    @Test("Requests that override an input build their own value, and the others share one", arguments: 0..<10)
    func mixed(round: Int) async {
        #expect(app.late.text == "nobody")
        app.caller = "somebody"
        // Two that override, and one for all the others.
        party.expect(3)
        let values = await read(\.late, in: requests(2, overriding: true) + requests(3, overriding: false))
        #expect(values.map(\.text) == ["0", "1", "somebody", "somebody", "somebody"])
        #expect(!party.isAlone && party.builds == 4)
        #expect(values[2] === values[3] && values[3] === values[4])
    }

    @Test("A request that overrides something else shares the build", arguments: 0..<10)
    func overridingAnother(round: Int) async {
        #expect(app.late.text == "nobody")
        app.caller = "somebody"
        let scopes = (0..<3).map { number in EnvironmentScope(parent: app) { $0.depth = number } }
        #expect(count(await read(\.late, in: scopes)) == 1)
        #expect(party.builds == 2)
    }

    @Test("The values are right even if a build reads other inputs than the last one did") func changing() async {
        #expect(app.changing.text == "flat")
        app.depth = 1
        for _ in 0..<2 {
            let values = await read(\.changing, in: requests(3, overriding: true))
            #expect(values.map(\.text) == ["0", "1", "2"])
        }
        #expect(app.changing.text == "nobody")
        // Each of the eight values once, and perhaps once more if a wait for a build was in vain.
        #expect((8...15).contains(party.builds))
    }

    @Test("Builds that read less than the last one, and so belong further out, keep one value there", arguments: 0..<5)
    func readingLess(round: Int) async {
        // A builder of its own, so that the other rounds are not its last build.
        app.provide(\.changing) { try $0.meet { try $0.depth > 0 ? $0.caller : "flat" } }
        app.depth = 1
        #expect(app.changing.text == "nobody")
        app.depth = 0
        party.expect(3)
        // Reads where the value will be, and never builds.
        let reader = onThread { [app] in while app.localValue(for: \.changing) == nil { sched_yield() } }
        let values = await read(\.changing, in: requests(3, overriding: true))
        #expect(values.map(\.text) == ["flat", "flat", "flat"])
        #expect(values.allSatisfy { $0 === app.changing })
        await reader.passed()
        #expect(!party.isAlone && party.builds == 4)
    }
}
