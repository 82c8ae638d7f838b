import Dispatch
import Foundation
import ScopedInjection
import Synchronization
import Testing

private enum IntKey: ScopeKey { static let defaultValue = 0 }
private enum TextKey: ScopeKey { static let defaultValue = "text" }

private final class Object: Sendable {
    let number = Injected(key: IntKey.self)
}
private enum ServiceKey: ScopeKey {
    typealias Value = Object
}

private struct Settings: Sendable { var url = "" }
private enum SettingsKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Settings {
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        ends.update { $0.append(continuation) }
        Task { for await _ in end {} }
        return Settings()
    }
    static let ends = Box<[AsyncStream<Void>.Continuation]>([])
}
extension EnvironmentScope {
    fileprivate var settings: Settings {
        get { self[SettingsKey.self] }
        set { self[SettingsKey.self] = newValue }
    }
    fileprivate var reading: Int? { try? value(for: IntKey.self) }
}

private final class WeakScope: @unchecked Sendable {
    weak var scope: EnvironmentScope?
    init(_ scope: EnvironmentScope?) { self.scope = scope }
}

private struct Failure: Error {}

#if DEBUG
    private let rounds = 2_000
#else
    private let rounds = 20_000
#endif

@Suite("R4, R7, R8, R11: what is in force and what is let go of, while other threads work")
struct InForceTests {
    @Test("The parent of a parent is changed while children are made")
    func grandparentMovesWhileChildrenAreMade() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        await onThreads(2) { thread in
            for _ in 0..<rounds {
                if thread == 0 {
                    app.parent = EnvironmentScope.empty("other", parent: nil)
                } else {
                    _ = EnvironmentScope("request", parent: app) { $0[TextKey.self] = "a" }
                }
            }
        }
    }

    @Test("A child of a builder's scope is read while the value is placed")
    func childOfBuilderScopeReadsWhilePlaced() async {
        for _ in 0..<rounds / 100 {
            let app = EnvironmentScope("app", parent: nil) { $0[IntKey.self] = 1 }
            let child = Box<EnvironmentScope?>(nil)
            let started = Box(false)
            app.provide(TextKey.self) { scope in
                child.value = EnvironmentScope.empty("child", parent: scope)
                while !started.value { sched_yield() }
                return "\(scope[IntKey.self])"
            }
            let request = EnvironmentScope.empty("request", parent: app)
            let done = Box(false)
            let gate = onThread {
                while !done.value {
                    guard let child = child.value else { continue }
                    for _ in 0..<30 { _ = child.reading }
                    started.value = true
                    for _ in 0..<30 { _ = child.reading }
                }
            }
            #expect(request[TextKey.self] == "1")
            done.value = true
            gate.wait()
            withExtendedLifetime((app, request)) {}
        }
    }

    @Test("Two threads set the parent of a scope in force")
    func twoThreadsSetTheParentOfAScopeInForce() {
        var lost = 0
        for _ in 0..<rounds {
            let scope = EnvironmentScope.empty("scope", parent: nil)
            scope {
                DispatchQueue.concurrentPerform(iterations: 2) { index in
                    scope.parent = EnvironmentScope("parent", parent: nil) { $0[IntKey.self] = index }
                }
                if scope.reading == nil { lost += 1 }
            }
        }
        #expect(lost == 0)
    }

    @Test("The parent of the parent is set while a scope is configured")
    func parentOfParentIsSetWhileConfigured() {
        let app = EnvironmentScope.empty("app", parent: nil)
        _ = EnvironmentScope("request", parent: app) { request in
            app.parent = EnvironmentScope("outer", parent: nil) { $0[IntKey.self] = 5 }
            #expect(request.reading == 5)
        }
        let child = EnvironmentScope.empty("child", parent: app)
        child {
            app.parent = EnvironmentScope("outer", parent: nil) { $0[IntKey.self] = 6 }
            #expect(child.reading == 6)
        }
    }

    @Test("A builder's scope is asked whether it is closed while its keeper goes")
    func isClosedOfABuilderScopeWhileItsKeeperGoes() async {
        await #expect(processExitsWith: .success) {
            let current = Box<EnvironmentScope?>(nil)
            let done = Box(false)
            let gate = onThread {
                while !done.value { if let scope = current.value { for _ in 0..<20 { _ = scope.isClosed } } }
            }
            for _ in 0..<rounds {
                let keeper = EnvironmentScope.empty("keeper", parent: nil)
                keeper.provide(TextKey.self) { scope in
                    current.value = scope
                    return "a"
                }
                _ = keeper[TextKey.self]
                withExtendedLifetime(keeper) {}
            }
            done.value = true
            gate.wait()
        }
    }

    @Test("The global scope is asked whether it is closed while it is replaced")
    func isClosedOfTheGlobalScopeWhileItIsReplaced() async {
        await #expect(processExitsWith: .success) {
            let done = Box(false)
            let gate = onThread {
                let isClosed = Injected { $0.isClosed }
                while !done.value { _ = isClosed() }
            }
            for _ in 0..<rounds { EnvironmentScope.global = EnvironmentScope.empty(parent: nil) }
            done.value = true
            gate.wait()
        }
    }

    @Test("A weak reference finds a builder's scope while the build ends")
    func weakReferenceToABuilderScope() async {
        let app = EnvironmentScope("app", parent: nil) { $0[IntKey.self] = 1 }
        let seen = Box(WeakScope(nil))
        let errors = Box(0)
        let read = Box(0)
        let done = Box(false)
        let gates = (0..<2).map { _ in
            onThread {
                while !done.value {
                    let box = seen.value
                    guard let scope = box.scope else { continue }
                    do {
                        _ = try scope.value(for: IntKey.self)
                        read.update { $0 += 1 }
                    } catch { errors.update { $0 += 1 } }
                }
            }
        }
        // Both scopes stay alive throughout, so the builder's scope always has a scope to stand for.
        let request = EnvironmentScope.empty("request", parent: app)
        for _ in 0..<rounds {
            request.provide(TextKey.self) { scope in
                seen.value = WeakScope(scope)
                return "a"
            }
            _ = request[TextKey.self]
        }
        done.value = true
        for gate in gates { gate.wait() }
        #expect(errors.value == 0, "of \(read.value)")
        withExtendedLifetime((app, request)) {}
    }

    @Test("The cleanups of a failed configuration have the chain")
    func cleanupOfAFailedConfiguration() async throws {
        let result = Box<Int?>(-1)
        let ran = Gate()
        do {
            let app = EnvironmentScope("app", parent: nil) { $0[IntKey.self] = 7 }
            do {
                _ = try EnvironmentScope("request", parent: app) { request in
                    request.onClose {
                        result.value = EnvironmentScope.current.reading
                        ran.open()
                    }
                    throw Failure()
                }
            } catch {}
        }
        await withCheckedContinuation { continuation in
            onThread {
                ran.wait(); continuation.resume()
            }
        }
        #expect(result.value == 7)
    }

    @Test("The cleanups of a child have the chain, though somebody lets go of it meanwhile")
    func cleanupOfWithChildAfterGrandparentIsDropped() async throws {
        let result = Box<Int?>(-1)
        let outer = Box<EnvironmentScope?>(EnvironmentScope("outer", parent: nil) { $0[IntKey.self] = 7 })
        let app = EnvironmentScope.empty("app", parent: outer.value)
        await app.withChild("request") { request in
            request.onClose { result.value = EnvironmentScope.current.reading }
            outer.value = nil
            #expect(request.reading == 7)
        }
        #expect(result.value == 7)
    }

    @Test("A cleanup that is registered late runs in its scope")
    func lateCleanupRunsInItsScope() async {
        let scope = EnvironmentScope("scope", parent: nil) { $0[IntKey.self] = 7 }
        await scope.close()
        let names = Box<[Int?]>([])
        await withCheckedContinuation { continuation in
            scope.onClose {
                names.update { $0.append(EnvironmentScope.current.reading) }
                continuation.resume()
            }
        }
        #expect(names.value == [7])
    }

    @Test("The cleanups of a failed asynchronous configuration have the chain")
    func asyncConfigurationFailsAfterGrandparentIsDropped() async throws {
        let result = Box<Int?>(-1)
        let outer = Box<EnvironmentScope?>(EnvironmentScope("outer", parent: nil) { $0[IntKey.self] = 7 })
        let app = EnvironmentScope.empty("app", parent: outer.value)
        do {
            _ = try await EnvironmentScope("request", parent: app) { request async throws in
                request.onClose { result.value = EnvironmentScope.current.reading }
                outer.value = nil
                await Task.yield()
                throw Failure()
            }
        } catch {}
        #expect(result.value == 7)
    }

    @Test("A task that an assignment through a key path started does not keep the scope")
    func assignmentThroughAPathKeepsTheScope() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        weak var direct: EnvironmentScope?
        weak var byPath: EnvironmentScope?
        do {
            let request = EnvironmentScope("request", parent: app) { $0[IntKey.self] = 1 }
            request.provide(SettingsKey.self) { SettingsKey.makeValue(in: $0) }
            request.settings.url = "a"
            direct = request
        }
        do {
            let request = EnvironmentScope("request", parent: app) { $0[IntKey.self] = 1 }
            request.provide(SettingsKey.self) { SettingsKey.makeValue(in: $0) }
            request.with(\.settings.url, "a")
            byPath = request
        }
        #expect(direct == nil)
        #expect(byPath == nil)
        for end in SettingsKey.ends.value { end.finish() }
        withExtendedLifetime(app) {}
    }

    @Test("An object that was bound first and then built does not keep the scope")
    func objectBoundFirstAndThenBuilt() {
        weak var gone: EnvironmentScope?
        weak var goneObject: Object?
        do {
            let app = EnvironmentScope("app", parent: nil) { $0[IntKey.self] = 1 }
            let object = Object()
            app.replace(in: object)
            let next = Box<Object?>(object)
            app.provide(ServiceKey.self) { _ in next.update { $0.take() } ?? Object() }
            #expect(app[ServiceKey.self] === object)
            gone = app
            goneObject = object
        }
        #expect(gone == nil)
        #expect(goneObject == nil)
    }
}
