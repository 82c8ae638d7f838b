import ScopedInjection
import Testing

private let onlyReference = Box<EnvironmentScope?>(nil)

extension ScopeValues {
    fileprivate static var connection: ScopeValue<Int> {
        .lazy { _ in
            onlyReference.value = nil
            return 1
        }
    }
}

@Suite("R11: a scope that goes away unclosed runs its cleanups in a task of their own, and tells", .programRoots)
struct LeftUnclosedTests {
    private let log = Log()
    private let ended = Barrier()
    private let events: Box<[ScopeEvent]>
    private let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }

    init() { events = app.events() }

    /// Makes a scope with two cleanups, and lets go of it.
    private func leave(afterClosing isClosed: Bool = false) async {
        let (log, ended) = (log, ended)
        let scope = EnvironmentScope("request", parent: app) { $0.user = User(name: "Ada") }
        scope.provide(\.host) { reader in
            reader.onClose {
                await Task.yield()
                let current = EnvironmentScope.current
                log.add("host in \(current.name ?? ""): \(current.user?.name ?? "nobody")")
            }
            return "host"
        }
        scope.onClose {
            log.add("scope, port \(Injected(\.port)())")
            ended.open()
        }
        _ = scope.host
        if isClosed { await scope.close() }
    }

    @Test("Observers are told first; then its cleanups run last first, each to its end, in what was the scope")
    func order() async {
        await leave()
        await ended.pass()
        #expect(log.lines == ["host in request: Ada", "scope, port 1"])
        #expect(events.value.prefix(2).map(\.kind) == [.built, .leftUnclosed])
        #expect(events.value[1].description == "\"request\" went away without having been closed; its cleanups run now")
    }

    @Test("Its cleanups may read a value, though that was being built below it when it went", .timeLimit(.minutes(10)))
    func buildsInProgress() async {
        for _ in 0..<300 {
            let ended = Barrier()
            onlyReference.value = EnvironmentScope("request", parent: nil) {
                $0.onClose {
                    await Task.yield()
                    if EnvironmentScope.current.connection == 1 { ended.open() }
                }
            }
            let job = EnvironmentScope.empty("job", parent: onlyReference.value)
            // It would be kept in the request, which goes meanwhile.
            #expect(throws: ScopeError.self) { try job.value(for: \.connection) }
            await ended.pass()
        }
    }

    @Test("One that was closed leaves nothing to be told") func closed() async {
        await leave(afterClosing: true)
        #expect(log.lines.count == 2)
        #expect(!events.value.map(\.kind).contains(.leftUnclosed))
    }
}
