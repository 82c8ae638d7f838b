import ScopedInjection

// Values for suites about code that runs in scopes while these change or close.

extension ScopeValues {
    static var poolSize: ScopeValue<Int> { .value(1) }
    static var sizedPool: ScopeValue<Product> {
        .lazy { try $0.product("\(try $0.poolSize)", saying: "pool \(try $0.poolSize)") }
    }
    static var poolTransaction: ScopeValue<Product> {
        .lazy(.once(in: .request)) { try $0.product("transaction on \(try $0.sizedPool.text)") }
    }
}

/// An application, and code that runs in scopes of it until it may leave.
final class Bodies: Sendable {
    let log = Log()
    let app: EnvironmentScope
    private let mayLeave = Barrier()

    init() { app = EnvironmentScope.empty("app", role: .application, parent: nil).with(\.log, log) }

    /// How code comes to run in a scope of the application, or further in.
    enum Way: CaseIterable { case withChild, entered, second, bound, boundAsync, furtherIn }

    /// Starts a body that reads the pool, and adds a line when it leaves; returns once it runs.
    func start(_ way: Way = .withChild, leaves mayLeave: Barrier? = nil) async -> Task<Void, Never> {
        let (app, log, begun, mayLeave) = (app, log, Barrier(), mayLeave ?? self.mayLeave)
        @Sendable func body() async {
            _ = EnvironmentScope.current.sizedPool
            begun.open()
            await mayLeave.pass()
            log.add("left")
        }
        let request = EnvironmentScope.empty("request", role: .request, parent: app)
        let task = Task.detached {
            switch way {
            case .withChild: await app.withChild("request", role: .request) { await body() }
            case .entered: await request { await body() }
            case .second:
                let (other, goes) = (Barrier(), Barrier())
                let first = Task.detached {
                    await request {
                        other.open()
                        await goes.pass()
                    }
                }
                await other.pass()
                await request {
                    goes.open()
                    await first.value
                    await body()
                }
            case .bound:
                let gate = Gate()
                let bound = request.bind { () -> Void in
                    _ = EnvironmentScope.current.sizedPool
                    begun.open()
                    gate.wait()
                    log.add("left")
                }
                let call = onThread { bound() }
                await mayLeave.pass()
                gate.open()
                await call.passed()
            case .boundAsync: await request.bind { () async -> Void in await body() }()
            case .furtherIn: await request.withChild("part") { await body() }
            }
        }
        await begun.pass()
        return task
    }

    func letLeave() { mayLeave.open() }
}
