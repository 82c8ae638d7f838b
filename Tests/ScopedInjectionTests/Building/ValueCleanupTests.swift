import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var url: ScopeValue<String> { .value("default") }
    fileprivate static var pool: ScopeValue<Product> {
        .lazy { try $0.product($0.url, saying: "closed \(try $0.url)") }
    }
    fileprivate static var page: ScopeValue<Product> { .lazy { try $0.product($0.pool.text, saying: "closed page") } }
    fileprivate static var part: ScopeValue<Product> { .lazy(.transient) { try $0.product("closed part") } }
    fileprivate static var middle: ScopeValue<Product> { .lazy(.transient) { try $0.part } }
    fileprivate static var whole: ScopeValue<Product> { .lazy { try $0.part } }
    fileprivate static var wholeOfMiddle: ScopeValue<Product> { .lazy { try $0.middle } }
    fileprivate static var session: ScopeValue<Product> {
        .lazy(.once(in: .request)) { try $0.product("closed session of \(try $0.host)") }
    }
}

@Suite("R11: a cleanup that a builder registers belongs to its value", .programRoots)
struct ValueCleanupTests {
    private let log = Log()
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        app = EnvironmentScope.empty("app", parent: nil).with(\.log, log)
        request = .empty("request", role: .request, parent: app)
    }

    @Test("A value's cleanup runs when the scope closes that keeps the value, not the one that asked")
    func keeper() async {
        #expect(request.pool.text == "default")
        await request.close()
        #expect(log.lines.isEmpty)
        await app.close()
        #expect(log.lines == ["closed default"])
    }

    @Test("Each scope that has a value of its own cleans that up") func overridden() async {
        request.url = "request"
        _ = (app.pool, request.pool)
        await request.close()
        #expect(log.lines == ["closed request"])
        await app.close()
        #expect(log.lines == ["closed request", "closed default"])
    }

    @Test("Each request cleans up the value that stays in it") func staying() async {
        request.host = "request"
        let other = EnvironmentScope("other", role: .request, parent: app) { $0.host = "other" }
        _ = (other.session, request.session)
        await request.close()
        #expect(log.lines == ["closed session of request"])
        await other.close()
        #expect(log.lines == ["closed session of request", "closed session of other"])
    }

    @Test("Several of one value run last first, each once") func several() async {
        let log = log
        app.provide(\.pool) { reader in
            for number in 1...3 { reader.onClose { log.add("\(number)") } }
            return Product("pool")
        }
        _ = request.pool
        await app.close()
        await app.close()
        #expect(log.lines == ["3", "2", "1"])
    }

    @Test("discardBuiltValues lets go of what the scope keeps, and runs its cleanups to their end")
    func discarded() async {
        app.url = "set"
        weak let pool = app.page
        await app.discardBuiltValues()
        #expect(pool == nil)
        #expect(log.lines == ["closed page", "closed set"])
        #expect(app.localValue(for: \.pool) == nil)
        #expect(app.url == "set")
        #expect(app.page.text == "set")
        await app.close()
        #expect(log.lines == ["closed page", "closed set", "closed page", "closed set"])
    }

    @Test("A value's cleanup leaves alone what other scopes keep, and the scope's own cleanups")
    func discardedElsewhere() async {
        let log = log
        request.url = "request"
        app.onClose { log.add("app") }
        let (pool, own) = (app.pool, request.pool)
        await request.discardBuiltValues()
        #expect(log.lines == ["closed request"])
        #expect(app.pool === pool)
        #expect(request.pool !== own)
        await app.discardBuiltValues()
        #expect(log.lines == ["closed request", "closed default"])
        #expect(!app.isClosed)
        await app.close()
        // It closes the request, too, which has built another one.
        #expect(log.lines == ["closed request", "closed default", "closed request", "app"])
    }

    @Test("That of a transient value is its user's, whoever asks", arguments: [true, false], [true, false])
    func transientWithin(isAskedByApp: Bool, hasOneBetween: Bool) async {
        let scope = isAskedByApp ? app : request
        _ = hasOneBetween ? scope.wholeOfMiddle : scope.whole
        await request.close()
        #expect(log.lines.isEmpty)
        await app.close()
        #expect(log.lines == ["closed part"])
    }

    @Test("The cleanup of a transient value goes when what was built from it goes") func transientDiscarded() async {
        _ = request.whole
        await app.discardBuiltValues()
        #expect(log.lines == ["closed part"])
    }

    @Test("The cleanup of a transient value read alone belongs to the scope that asked", arguments: [true, false])
    func transientAlone(hasOneBetween: Bool) async {
        _ = hasOneBetween ? request.middle : request.part
        await request.close()
        #expect(log.lines == ["closed part"])
        await app.close()
        #expect(log.lines == ["closed part"])
    }
}
