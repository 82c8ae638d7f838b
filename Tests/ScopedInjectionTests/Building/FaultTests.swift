import Foundation
import ScopedInjection
import Synchronization
import Testing

private struct Fault: Error {}

/// Counts the points that a test passes, and fails or acts at one of them.
private final class Points: Sendable {
    private let passed = Atomic(0)
    private let chosen: Int
    private let action: @Sendable () throws -> Void

    init(at chosen: Int, _ action: @escaping @Sendable () throws -> Void) {
        self.chosen = chosen
        self.action = action
    }

    var count: Int { passed.load(ordering: .relaxed) }

    func pass() throws {
        if passed.wrappingAdd(1, ordering: .relaxed).oldValue == chosen { try action() }
    }
}

@Suite("R5, R7, R11: faults at every point leave nothing behind")
struct FaultTests {
    private enum Top: ScopeKey { typealias Value = Product }
    private enum Middle: ScopeKey { typealias Value = Product }
    private enum Bottom: ScopeKey { typealias Value = Product }

    @Test("A builder that throws, before or after any of its reads", arguments: 0..<8)
    func throwingBuilder(point: Int) throws {
        let points = Points(at: point) { throw Fault() }
        let watch = LifetimeWatch()
        do {
            let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
            let request = EnvironmentScope("request", parent: app) { $0.port = 2 }
            app.provide(Bottom.self) { scope in
                try points.pass()
                defer { _ = scope.port }
                return Product("\(try scope.value(for: PortKey.self))")
            }
            app.provide(Middle.self) { scope in
                try points.pass()
                let bottom = try scope.value(for: Bottom.self)
                try points.pass()
                return Product(bottom.text)
            }
            app.provide(Top.self) { scope in
                try points.pass()
                let texts = [try scope.value(for: Bottom.self).text, try scope.value(for: Middle.self).text]
                try points.pass()
                return Product(texts.joined())
            }
            var failures = 0
            for scope in [request, app, request, app] {
                do {
                    let product = watch.add(try scope.value(for: Top.self))
                    #expect(product.text == (scope === app ? "11" : "22"))
                } catch {
                    #expect(error.code == .makeFailed)
                    #expect(error.underlyingError is Fault)
                    failures += 1
                }
            }
            #expect(failures == 1)
            #expect(points.count > point)
            let (top, middle) = (try app.value(for: Top.self), try request.value(for: Middle.self))
            #expect(top === app.localValue(for: Top.self))
            #expect(middle === request.localValue(for: Middle.self))
        }
        #expect(watch.alive == 0)
    }

    @Test("Cancellation at any await of an operation in a child scope, and of its cleanups", arguments: 0..<6)
    func cancellation(point: Int) async {
        let watch = LifetimeWatch()
        let log = Box<[String]>([])
        let isClosed = Box(false)
        do {
            let app = watch.add(EnvironmentScope.empty("app", parent: nil))
            let points = Points(at: point) { withUnsafeCurrentTask { $0?.cancel() } }
            let task = Task {
                let child = await app.withChild("child") { child in
                    for name in ["first", "second"] {
                        child.onClose {
                            await Task.yield()
                            try? points.pass()
                            log.update { $0.append(name) }
                        }
                    }
                } operation: {
                    for _ in 0..<3 {
                        await Task.yield()
                        try? points.pass()
                    }
                    return EnvironmentScope.current
                }
                isClosed.value = child.isClosed
            }
            await task.value
        }
        #expect(isClosed.value)
        #expect(log.value == ["second", "first"])
        #expect(watch.alive == 0)
    }

    @Test("A scope that is closed while a value is built in it keeps nothing", arguments: [true, false])
    func closedWhileBuilding(isReadFromChild: Bool) async {
        let watch = Box<(count: Int, alive: Int)>((0, 0))
        final class Watched: Sendable {
            let counts: Box<(count: Int, alive: Int)>
            init(_ counts: Box<(count: Int, alive: Int)>) {
                self.counts = counts
                counts.update { $0 = ($0.count + 1, $0.alive + 1) }
            }
            deinit { counts.update { $0.alive -= 1 } }
        }
        let started = Gate()
        let mayEnd = Gate()
        let app = EnvironmentScope.empty("app", parent: nil)
        let child = EnvironmentScope.empty("child", parent: app)
        app.provide(SendableKey.self) { _ in
            started.open()
            mayEnd.wait()
            return Watched(watch)
        }
        let code = Box<ScopeError.Code?>(nil)
        let reading = onThread {
            do throws(ScopeError) {
                _ = try (isReadFromChild ? child : app).value(for: SendableKey.self)
            } catch {
                code.value = error.code
            }
        }
        await Task.detached { started.wait() }.value
        await app.close()
        mayEnd.open()
        await Task.detached { reading.wait() }.value
        #expect(code.value == .closed)
        #expect(watch.value == (1, 0))
    }

    #if os(Linux)
        // The address sanitizer does not return freed memory.
        @Test("Ten million operations take no memory", .disabled(if: getenv("ASAN_OPTIONS") != nil))
        func memory() async {
            await #expect(processExitsWith: .success) {
                #if DEBUG
                    let count = 20_000
                #else
                    let count = 1_000_000
                #endif
                let app = EnvironmentScope("app", parent: nil) { $0.port = 0 }
                app.provide(HostKey.self) { "\($0.port)" }
                let host = Injected(\.host)
                // Each round has ten operations: sets, rebuilds, reads, children, entering.
                func run(_ count: Int) {
                    for round in 0..<count {
                        app.port = round & 7
                        _ = app.host
                        let request = EnvironmentScope("request", parent: app) { $0.port = 9 }
                        request {
                            _ = host()
                            _ = request.port
                        }
                        request.removeValue(for: PortKey.self)
                        _ = request.host
                        app.user = nil
                    }
                }
                run(count / 20)
                let before = residentBytes()
                run(count)
                let after = residentBytes()
                #expect(after <= before + 2_000_000, "\(before) bytes before, \(after) after")
            }
        }
    #endif
}
