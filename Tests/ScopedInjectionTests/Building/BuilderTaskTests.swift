import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var number: ScopeValue<Int> { .value(0) }
    fileprivate static var worker: ScopeValue<Worker> { .required() }
    fileprivate static var brief: ScopeValue<Worker> { .lazy(.transient) { try $0.worker } }
    fileprivate static var ofWorker: ScopeValue<Worker> { .lazy { try $0.worker } }
}

/// Owns a task that its builder started.
private final class Worker: Sendable {
    let task: Task<String, any Error>
    init(_ body: @escaping @Sendable () async throws -> String) { task = Task { try await body() } }
    var answer: String { get async throws { try await task.value } }
}

@Suite("R4: a task that a builder starts waits for the value, and then reads in the scope that keeps it", .programRoots)
struct BuilderTaskTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.host = "app" }
    private let request: EnvironmentScope

    init() {
        request = EnvironmentScope("request", parent: app) {
            $0.host = "request"
            $0.number = 1
        }
    }

    @Test("It resolves in the scope that keeps the value, which is not the one that asked", arguments: [true, false])
    func keeper(isOverridden: Bool) async throws {
        let host = Injected(\.host)
        app.provide(\.worker) { reader in
            if isOverridden { _ = try reader.number }
            return Worker { "\(host()) \(EnvironmentScope.current.name ?? "")" }
        }
        let answer = try await request.worker.answer
        #expect(answer == (isOverridden ? "request request" : "app app"))
    }

    @Test("A task that a builder starts waits until the value is built, and its reads see what is set then")
    func waits() async throws {
        let (begun, mayEnd) = (Barrier(), Gate())
        app.provide(\.worker) { _ in
            let worker = Worker {
                begun.open()
                return Injected(\.host)()
            }
            mayEnd.wait()
            return worker
        }
        let reader = onThread { [app] in _ = app.worker }
        await begun.pass()
        app.host = "changed"
        mayEnd.open()
        await reader.passed()
        #expect(try await app.worker.answer == "changed")
    }

    @Test("A task that a builder starts may read the value that was built, also while that is kept")
    func ownValue() async throws {
        let builds = Box(0)
        app.provide(\.worker) { _ in
            builds.update { $0 += 1 }
            return Worker { ObjectIdentifier(Injected(\.worker)()).debugDescription }
        }
        let worker = request.worker
        #expect(try await worker.answer == ObjectIdentifier(worker).debugDescription)
        #expect(builds.value == 1)
    }

    @Test("What it reads is no input") func noInput() async throws {
        app.provide(\.worker) { _ in Worker { Injected(\.host)() } }
        let worker = request.ofWorker
        _ = try await worker.answer
        app.host = "changed"
        request.host = "changed"
        #expect(request.ofWorker === worker)
        #expect(app.ofWorker === worker)
    }

    @Test("The tasks that it starts, and its child tasks, read there too") func further() async throws {
        app.provide(\.worker) { _ in
            Worker {
                async let first = Injected(\.host)()
                let second = await Task { Injected(\.host)() }.value
                return await first + second
            }
        }
        #expect(try await request.worker.answer == "appapp")
    }

    @Test("A task that a builder starts may enter other scopes") func entering() async throws {
        let other = EnvironmentScope("other", parent: nil) { $0.host = "other" }
        app.provide(\.worker) { _ in Worker { other { Injected(\.host)() } + Injected(\.host)() } }
        #expect(try await request.worker.answer == "otherapp")
    }

    @Test("It reads in the asking scope if the builder threw, or if nothing was kept", arguments: [true, false])
    func notKept(isThrowing: Bool) async throws {
        struct Refusal: Error {}
        let started = Box<Worker?>(nil)
        app.provide(\.brief) { _ in
            let worker = Worker { Injected(\.host)() }
            started.value = worker
            if isThrowing { throw Refusal() }
            return worker
        }
        if isThrowing {
            #expect(throws: ScopeError.self) { try request.value(for: \.brief) }
        } else {
            _ = request.brief
        }
        #expect(try await started.value?.answer == "request")
    }

    @Test("It does not keep the scope alive, and a read of its reference is an error once the scope is gone")
    func goneKeeper() async throws {
        let watch = LifetimeWatch()
        let mayRead = Barrier()
        let worker: Worker
        do {
            let keeper = watch.add(EnvironmentScope.empty("keeper", parent: nil))
            keeper.provide(\.worker) { _ in
                Worker {
                    await mayRead.pass()
                    return try Injected(\.host).value()
                }
            }
            worker = keeper.worker
        }
        #expect(watch.alive == 0)
        mayRead.open()
        let error = await #expect(throws: ScopeError.self) { try await worker.answer }
        #expect(error?.code == .parentReleased)
    }

    @Test("A detached task does not inherit the place of the builder") func detached() async throws {
        app.provide(\.worker) { _ in
            Worker { await Task.detached { EnvironmentScope.current.name ?? "" }.value }
        }
        #expect(try await request.worker.answer == "global")
    }
}
