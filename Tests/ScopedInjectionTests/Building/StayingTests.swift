import ScopedInjection
import Testing

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

@Suite("R17: a value that stays is kept until its scope ends, or somebody names it", .programRoots)
struct StayingTests {
    private let app = EnvironmentScope.empty("app", role: .application, parent: nil)
    private let request: EnvironmentScope
    private let child: EnvironmentScope

    init() {
        request = EnvironmentScope("request", role: .request, parent: app) { $0.customer = "Ada" }
        child = EnvironmentScope("child", parent: request) { ($0.limit, $0.customer) = (1, "Eve") }
    }

    @Test("It stays when what it was built from changes, there and further out, and when another decides further out")
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
        #expect(request.transaction === transaction && request.database.text == "database 20")
    }

    @Test("A set, a provider, a decoration, a removal or a discard of it in its scope ends it") func ended() async {
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

    @Test("It stays whatever is discarded or set of what it was built from, of any role, with cleanups or without")
    func othersEnd() async {
        let (unit, onPool) = (child.unit, child.onPool)
        await request.discardBuiltValues(\.transaction)
        #expect(child.unit === unit && unit.other !== request.transaction)
        request.transaction = Thing("one")
        await app.discardBuiltValues(\.pool)
        #expect(child.unit === unit && child.onPool === onPool && onPool.other !== app.pool)
    }

    @Test("A discard of what it was built from ends neither, begun further out or not", arguments: [true, false])
    func discardBelow(isBegunOutside: Bool) async {
        let (log, outer) = (Log(), EnvironmentScope.empty("outer", role: .request, parent: app))
        outer.log = log
        let inner = EnvironmentScope.empty("inner", role: .request, parent: outer)
        if isBegunOutside { _ = outer.session }
        let session = inner.session
        await outer.discardBuiltValues(\.connection)
        await outer.discardBuiltValues()
        #expect(inner.session === session)
        #expect(log.lines == (isBegunOutside ? ["end of session"] : []))
        await inner.close()
        await outer.close()
        #expect(log.lines.count == (isBegunOutside ? 3 : 2) && log.lines.last == "end of connection")
    }

    @Test("It holds what it was built from, and explanations and the event of a change say so") func heldBy() async {
        let log = Log()
        request.log = log
        request.observe { if $0.kind == .discarded { log.add("\($0)") } }
        _ = request.session
        request.limit = 3
        let told = #"let go of connection (Thing) in "request", because limit (Int) has changed, held by session"#
        #expect(log.lines == [told])
        #expect(request.explain(\.connection).line.hasSuffix(", held by session"))
        #expect(request.explain(\.connection).line.contains("being ended for"))
        #expect(request.graph.description.contains(", held by session"))
        await request.discardBuiltValues(\.session)
        #expect(log.lines.suffix(2) == ["end of session", "end of connection"])
        #expect(request.explain(\.connection).line.contains("held") == false)
    }

    @Test("What is shared and built from it follows it, and lives within the scope of the role")
    func sharedOnIt() async {
        let plain = child.plain
        #expect(request.localValue(for: \.plain) === plain)
        #expect(child.repository !== request.repository)
        #expect(child.repository.other === request.repository.other)
        await request.discardBuiltValues(\.transaction)
        #expect(child.plain !== plain && child.plain.other === request.transaction)
    }

    @Test("What is built from one that is set further out is not given where another one was begun")
    func setFurtherOut() {
        let begun = request.plain
        app.transaction = Thing("set")
        let other = EnvironmentScope.empty("other", role: .request, parent: app)
        #expect(other.plain.other?.text == "set" && other.plain === other.localValue(for: \.plain))
        #expect(app.plain.other?.text == "set")
        #expect(request.plain === begun)
    }

    @Test("It is begun though what it reads changes during each run, and then kept") func changing() {
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
        #expect(runs.value >= 4)
    }

    @Test("A failure is not kept; what survives it is, until what the failed run has read is another one")
    func failed() {
        request.customer = "bad"
        #expect(throws: ScopeError.self) { try child.value(for: \.failing) }
        let tolerant = child.tolerant
        #expect(tolerant.text == "fallback" && child.tolerant === tolerant && request.tolerant === tolerant)
        #expect(request.localValue(for: \.tolerant) === tolerant)
        #expect(request.explain(\.tolerant).keptBecause == "failing (Thing) belongs to the role request")
        #expect(request.explain(\.tolerant).inputs.map(\.name) == ["failing"])
        child.customer = "other"
        #expect(child.tolerant === tolerant)
        let other = EnvironmentScope("other", role: .request, parent: request) { $0.customer = "bad" }
        #expect(other.tolerant !== tolerant && other.localValue(for: \.tolerant) != nil)
        child.failing = Thing("own")
        #expect(child.tolerant.text == "own" && request.tolerant === tolerant)
        request.customer = "good"
        #expect(request.tolerant.text == "good" && request.localValue(for: \.tolerant) === request.tolerant)
    }

    @Test("What survives one that is missing, or has failed on the way to it, is kept, too") func failedFurtherIn() {
        let runs = Box(0)
        request.provide(\.repository) { reader in
            runs.value += 1
            return Thing("\((try? reader.installed)?.text ?? "nothing") \((try? reader.plain)?.text ?? "none")")
        }
        request.provide(\.transaction) { Thing("on", try $0.unit) }
        request.provide(\.unit) { _ in throw Refusal() }
        let repository = request.repository
        #expect(repository.text == "nothing none" && request.repository === repository && runs.value == 1)
        request.installed = Thing("installed")
        #expect(request.repository.text == "installed none")
        request.provide(\.unit) { _ in Thing("unit") }
        #expect(request.repository.text == "installed plain" && runs.value == 3)
    }

    @Test("What it was built from is let go of at the scope's end because that was closed", arguments: [true, false])
    func eventsAtTheEnd(hasCleanup: Bool) async {
        let (log, request) = (Log(), EnvironmentScope.empty("request", role: .request, parent: app))
        request.log = log
        request.observe { if $0.kind == .discarded { log.add("\($0.description.split(separator: ", ").last ?? "")") } }
        _ = (hasCleanup ? request.onSession : request.plain)
        await request.close()
        let reasons = Set(log.lines.filter { $0.hasPrefix("because") })
        #expect(reasons == (hasCleanup ? ["because its scope was closed"] : []))
    }
}

extension ScopeValues {
    fileprivate static var connection: ScopeValue<Thing> {
        .lazy { try $0.withCleanup(Thing("connection \(try $0.limit)"), saying: "end of connection") }
    }
    fileprivate static var session: ScopeValue<Thing> {
        .lazy(.once(in: .request)) { try $0.withCleanup(Thing("session", $0.connection), saying: "end of session") }
    }
    fileprivate static var onSession: ScopeValue<Thing> { .lazy { Thing("on a session", try $0.session) } }
}
