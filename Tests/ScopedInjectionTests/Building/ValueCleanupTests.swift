import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var url: ScopeValue<String> { .value("default") }
    fileprivate static var log: ScopeValue<Log> { .required() }
    fileprivate static var closed: ScopeValue<Barrier?> { .optional() }
    /// Tells when it is closed.
    fileprivate static var pool: ScopeValue<Product> {
        .lazy { reader in
            let (url, log, closed) = (try reader.url, try reader.log, try reader.closed)
            reader.onClose {
                log.add("closed \(url)")
                closed?.open()
            }
            return Product(url)
        }
    }
    fileprivate static var page: ScopeValue<Product> {
        .lazy { reader in
            let log = try reader.log
            reader.onClose { log.add("closed page") }
            return Product(try reader.pool.text)
        }
    }
    fileprivate static var part: ScopeValue<Product> {
        .lazy(.transient) { reader in
            let log = try reader.log
            reader.onClose { log.add("closed part") }
            return Product("part")
        }
    }
    fileprivate static var middle: ScopeValue<Product> { .lazy(.transient) { try $0.part } }
    fileprivate static var whole: ScopeValue<Product> { .lazy { try $0.part } }
    fileprivate static var wholeOfMiddle: ScopeValue<Product> { .lazy { try $0.middle } }
    fileprivate static var session: ScopeValue<Product> {
        .lazy(.once(in: .request)) { reader in
            let (log, host) = (try reader.log, try reader.host)
            reader.onClose { log.add("closed session of \(host)") }
            return Product(host)
        }
    }
}

@Suite("R11: a cleanup that a builder registers belongs to its value", .programRoots)
struct ValueCleanupTests {
    private let log = Log()
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        let log = log
        app = EnvironmentScope("app", parent: nil) { $0.log = log }
        request = .empty("request", role: .request, parent: app)
    }

    // MARK: Closing

    @Test("A value's cleanup runs when the scope closes that keeps the value, not the one that asked")
    func keeper() async {
        #expect(request.pool.text == "default")
        await request.close()
        #expect(log.lines.isEmpty)
        await app.close()
        #expect(log.lines == ["closed default"])
    }

    @Test("Each scope that has a value of its own cleans that up")
    func overridden() async {
        request.url = "request"
        _ = (app.pool, request.pool)
        await request.close()
        #expect(log.lines == ["closed request"])
        await app.close()
        #expect(log.lines == ["closed request", "closed default"])
    }

    @Test("Each request cleans up the value that stays in it")
    func staying() async {
        request.host = "request"
        let other = EnvironmentScope("other", role: .request, parent: app) { $0.host = "other" }
        _ = (other.session, request.session)
        await request.close()
        #expect(log.lines == ["closed session of request"])
        await other.close()
        #expect(log.lines == ["closed session of request", "closed session of other"])
    }

    @Test("A value goes before what it was built from, wherever its builder registers")
    func dependentsFirst() async {
        _ = app.page
        await app.close()
        #expect(log.lines == ["closed page", "closed default"])
    }

    @Test("In it the scope that keeps the value is current")
    func current() async {
        let log = log
        app.provide(\.pool) { reader in
            reader.onClose { log.add("in \(EnvironmentScope.current.name ?? "")") }
            return Product(try reader.url)
        }
        _ = request.pool
        await app.close()
        #expect(log.lines == ["in app"])
    }

    @Test("Several of one value run last first, each once")
    func several() async {
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

    // MARK: Letting go

    @Test("A value's cleanup runs when a new value is built in its place")
    func rebuilt() async {
        let closed = Barrier()
        app.closed = closed
        app.url = "one"
        _ = request.pool
        app.url = "two"
        #expect(request.pool.text == "two")
        await closed.pass()
        #expect(log.lines == ["closed one"])
        await app.close()
        #expect(log.lines == ["closed one", "closed two"])
    }

    @Test("A cleanup runs when its value is set, or its builder replaced or removed", arguments: 0..<3)
    func replaced(way: Int) async {
        let closed = Barrier()
        app.closed = closed
        _ = request.pool
        switch way {
        case 0: app.pool = Product("set")
        case 1: app.provide(\.pool) { _ in Product("provided") }
        default: app.removeValue(for: \.pool)
        }
        await closed.pass()
        #expect(log.lines == ["closed default"])
        await app.close()
        #expect(log.lines == ["closed default"])
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
        #expect(log.lines == ["closed request", "closed default", "app"])
    }

    // MARK: Values that are not kept

    @Test(
        "The cleanup of a transient value belongs to what was built from it, whoever asks",
        arguments: [true, false],
        [true, false]
    )
    func transientWithin(isAskedByApp: Bool, hasOneBetween: Bool) async {
        let scope = isAskedByApp ? app : request
        _ = hasOneBetween ? scope.wholeOfMiddle : scope.whole
        await request.close()
        #expect(log.lines.isEmpty)
        await app.close()
        #expect(log.lines == ["closed part"])
    }

    @Test("The cleanup of a transient value goes when what was built from it goes")
    func transientDiscarded() async {
        _ = request.whole
        await app.discardBuiltValues()
        #expect(log.lines == ["closed part"])
    }

    @Test(
        "The cleanup of a transient value that is read alone belongs to the scope that asked",
        arguments: [true, false]
    )
    func transientAlone(hasOneBetween: Bool) async {
        _ = hasOneBetween ? request.middle : request.part
        await request.close()
        #expect(log.lines == ["closed part"])
        await app.close()
        #expect(log.lines == ["closed part"])
    }

    @Test("The cleanups of a builder which throws run soon, once, the last one first")
    func thrown() async {
        struct Refusal: Error {}
        let (log, ran) = (log, Barrier())
        app.provide(\.pool) { reader in
            reader.onClose {
                log.add("closed")
                ran.open()
            }
            reader.onClose { log.add("closed first") }
            throw Refusal()
        }
        #expect(throws: ScopeError.self) { try request.value(for: \.pool) }
        await ran.pass()
        await request.close()
        await app.close()
        #expect(log.lines == ["closed first", "closed"])
    }

    @Test("The cleanup of a value that nobody is given, because its input has changed meanwhile, runs soon")
    func overtaken() async {
        let closed = Barrier()
        app.closed = closed
        app.url = "one"
        let changes = Box(0)
        app.provide(\.host) { [unowned app] reader in
            // On another thread, as a change by somebody else.
            if changes.update({
                $0 += 1; return $0
            }) == 1 {
                elsewhere { app.url = "two" }
            }
            return "host"
        }
        let log = log
        app.provide(\.pool) { reader in
            let url = try reader.url
            reader.onClose {
                log.add("closed \(url)")
                closed.open()
            }
            _ = try reader.host
            return Product(url)
        }
        #expect(app.pool.text == "two")
        await closed.pass()
        #expect(log.lines == ["closed one"])
        await app.close()
        #expect(log.lines == ["closed one", "closed two"])
    }
}
