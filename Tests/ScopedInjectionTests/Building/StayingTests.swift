import ScopedInjection
import Testing

private final class Thing: Sendable {
    let text: String
    let other: Thing?

    init(_ text: String, _ other: Thing? = nil) { (self.text, self.other) = (text, other) }
}

private struct Refusal: Error {}

extension ScopeValues {
    fileprivate static var limit: ScopeValue<Int> { .value(10) }
    fileprivate static var customer: ScopeValue<String> { .value("nobody", isSafeInTests: true) }
    fileprivate static var database: ScopeValue<Thing> { .lazy { Thing("database \(try $0.limit)") } }
    fileprivate static var transaction: ScopeValue<Thing> {
        .lazy(.once(in: .request)) { reader in
            let place = "\(EnvironmentScope.current.name ?? "-") \(EnvironmentScope.forLogging.name ?? "-")"
            return Thing("transaction of \(try reader.customer) in \(place)", try reader.database)
        }
    }
    fileprivate static var unit: ScopeValue<Thing> { .lazy(.once(in: .request)) { Thing("unit", try $0.transaction) } }
    fileprivate static var repository: ScopeValue<Thing> {
        .lazy { Thing("repository of \(try $0.customer)", try $0.transaction) }
    }
    fileprivate static var plain: ScopeValue<Thing> { .lazy { Thing("plain", try $0.transaction) } }
    fileprivate static var pool: ScopeValue<Thing> {
        .lazy(.once(in: .application), isSafeInTests: true) { _ in Thing("pool") }
    }
    fileprivate static var onPool: ScopeValue<Thing> {
        .lazy(.once(in: .request), isSafeInTests: true) { Thing("on a pool", try $0.pool) }
    }
    fileprivate static var installed: ScopeValue<Thing> { .required(.once(in: .request)) }
    fileprivate static var failing: ScopeValue<Thing> {
        .lazy(.once(in: .request)) { reader in
            if try reader.customer == "bad" { throw Refusal() }
            return Thing("good")
        }
    }
    fileprivate static var tolerant: ScopeValue<Thing> { .lazy { (try? $0.failing) ?? Thing("fallback") } }
}

@Suite("R17: a value that stays is kept until its scope, or what it goes with, ends", .programRoots)
struct StayingTests {
    private let app = EnvironmentScope.empty("app", role: .application, parent: nil)
    private let request: EnvironmentScope
    private let child: EnvironmentScope

    init() {
        request = EnvironmentScope("request", role: .request, parent: app) { $0.customer = "Ada" }
        child = EnvironmentScope("child", parent: request) { ($0.limit, $0.customer) = (1, "Eve") }
    }

    @Test(
        "It stays when what it was built from changes, there and further out, and when something else decides further out"
    )
    func stays() async {
        let (transaction, plain) = (request.transaction, request.plain)
        app.limit = 20
        request.customer = "Bob"
        await app.discardBuiltValues()
        app.provide(\.transaction) { _ in Thing("provided") }
        #expect(request.transaction === transaction)
        app.transaction = Thing("set further out")
        #expect(child.transaction === transaction)
        #expect(request.plain === plain)
        #expect(child.plain === plain)
        app.removeValue(for: \.transaction)
        #expect(request.transaction === transaction)
        #expect(request.database.text == "database 20")
    }

    @Test("A set, a provider, a decoration, a removal or a discard of it in its scope ends it")
    func ended() async {
        let first = request.transaction
        await request.discardBuiltValues(\.transaction)
        let second = request.transaction
        #expect(second !== first)
        request.provide(\.transaction) { _ in Thing("provided") }
        #expect(child.transaction.text == "provided")
        request.decorate(\.transaction) { inner, _ in Thing("decorated", inner) }
        #expect(child.transaction.other?.text == "provided")
        request.transaction = Thing("set")
        #expect(child.transaction.text == "set")
        request.removeValue(for: \.transaction)
        let third = child.transaction
        #expect(third.text.hasPrefix("transaction"))
        request.removeValue(for: \.transaction)
        #expect(child.transaction !== third)
    }

    @Test("It goes with what it was built from of the same role, begun or set, and not of another")
    func sameRole() async {
        let (unit, onPool) = (child.unit, child.onPool)
        await request.discardBuiltValues(\.transaction)
        #expect(child.unit !== unit)
        #expect(child.unit.other === request.transaction)
        request.transaction = Thing("one")
        let ofSet = child.unit
        request.limit = 3
        #expect(child.unit === ofSet)
        request.transaction = Thing("two")
        #expect(child.unit.other?.text == "two")
        await app.discardBuiltValues(\.pool)
        #expect(child.onPool === onPool)
        #expect(child.onPool.other !== app.pool)
    }

    @Test("What is shared and built from it follows it, and lives within the scope of the role")
    func sharedOnIt() async {
        let plain = child.plain
        #expect(request.localValue(for: \.plain) === plain)
        #expect(child.repository !== request.repository)
        #expect(child.repository.other === request.repository.other)
        await request.discardBuiltValues(\.transaction)
        #expect(child.plain !== plain)
        #expect(child.plain.other === request.transaction)
    }

    @Test("What is built from one that is set further out is not given where another one was begun")
    func setFurtherOut() {
        let begun = request.plain
        app.transaction = Thing("set")
        let other = EnvironmentScope.empty("other", role: .request, parent: app)
        #expect(other.plain.other?.text == "set")
        #expect(app.plain.other?.text == "set")
        #expect(request.plain === begun)
    }

    @Test("It is begun though what it reads changes during each run, and then kept")
    func changing() {
        let request = request
        let runs = Box(0)
        request.provide(\.installed) { reader in
            runs.value += 1
            let limit = try reader.limit
            EnvironmentScope.current.limit = limit + 1
            return Thing("of \(limit)")
        }
        let installed = request.installed
        #expect(request.installed === installed)
        #expect(runs.value == 4)
    }

    @Test("A failure is not kept, nor what swallows it")
    func failed() {
        request.customer = "bad"
        #expect(throws: ScopeError.self) { try child.value(for: \.failing) }
        #expect(child.tolerant.text == "fallback")
        request.customer = "good"
        #expect(child.tolerant.text == "good")
    }
}
