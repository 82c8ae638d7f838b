import Dispatch
import ScopedInjection
import ScopedInjectionTesting
import Synchronization

/// Calls a closure on a queue, as code does that knows nothing of tasks.
private func onQueue(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            body()
            continuation.resume()
        }
    }
}

private let kept = Mutex<EnvironmentScope?>(nil)
private let shared = Injected(\.user)

extension Forgetting {
    static let values: [Forgetting] = [
        Forgetting("liveByReference", .failure) { _ = Injected(\.port)() },
        Forgetting("liveByScope", .failure) { _ = EnvironmentScope.current.port },
        Forgetting("liveThatReadsOnlyWhatTestsAreGiven", .failure) { _ = EnvironmentScope.current.mailer },
        Forgetting("liveWithoutATrait", .failure, nil) { _ = EnvironmentScope.current.port },
        Forgetting("liveInAChild", .failure) {
            await EnvironmentScope.current.withChild("request", role: .request) { _ = EnvironmentScope.current.port }
        },
        Forgetting("liveBelowAnApplication", .failure, .scope(parent: makeApp())) {
            _ = EnvironmentScope.current.pool
        },
        Forgetting("liveBegunBelowAnApplication", .failure, .scope(parent: makeApp())) {
            _ = EnvironmentScope.current.poolOfApp
        },
        Forgetting("liveOfATenant", .failure) {
            await EnvironmentScope.current.withChild("tenant") {
                $0.path = "tenant.db"
            } operation: {
                _ = EnvironmentScope.current.pool
            }
        },
        Forgetting("restOfAClient", .failure) { EnvironmentScope.current.client.host = "test" },
        Forgetting("endpoint", .failure) { _ = try? EnvironmentScope.current.testedClient.tags() },
        Forgetting("nothingBegun", .nothing, .scope(parent: makeApp()) { $0.path = "test.db" }) {
            _ = EnvironmentScope.current.poolOfApp
        },
        Forgetting("nothing", .nothing) { _ = EnvironmentScope.current.pool },
    ]

    static let errors: [Forgetting] = [
        Forgetting("requiredSwallowed", .warning) { _ = try? EnvironmentScope.current.value(for: \.token) },
        Forgetting("requiredSwallowedByABuilder", .warning) { _ = EnvironmentScope.current.swallowing },
        Forgetting("requiredSwallowedWhereForbidden", .failure, .scope(defaults: .forbidden)) {
            _ = try? EnvironmentScope.current.value(for: \.token)
        },
        Forgetting("liveSwallowedWhereForbidden", .failure, .scope(defaults: .forbidden)) {
            _ = try? EnvironmentScope.current.value(for: \.port)
        },
        Forgetting("jobLogsWhatIsForbidden", .failure, .scope(defaults: .forbidden)) { await runJob() },
        Forgetting("jobReadsLive", .failure) { await runJob() },
        Forgetting("requiredThrown", .failure) { _ = try EnvironmentScope.current.value(for: \.token) },
        Forgetting("traitThrows", .failure, .scope { _ in throw Down() }) {},
        Forgetting("absent", .nothing) { _ = try EnvironmentScope.current.valueIfAny(for: \.token) },
        Forgetting("updateFails", .nothing) {
            let scope = EnvironmentScope.current
            scope.provide(\.mailer) { if try $0.path == "bad" { throw Down() } else { "mailer" } }
            _ = scope.mailer
            try? scope.update { $0.path = "bad" }
        },
    ]

    static let places: [Forgetting] = [
        Forgetting("liveOnAQueue", .failure) { await onQueue { _ = EnvironmentScope.current.port } },
        Forgetting("liveDetached", .failure) { await Task.detached { _ = EnvironmentScope.current.port }.value },
        Forgetting("setOnAQueue", .warning) { await onQueue { _ = EnvironmentScope.current.user } },
        Forgetting("setDetached", .warning) { await Task.detached { _ = EnvironmentScope.current.user }.value },
        Forgetting("setDetachedWithALiveDefault", .failure) {
            await Task.detached { _ = EnvironmentScope.current.path }.value
        },
        Forgetting("setInGlobalRead", .failure) { _ = EnvironmentScope.global.user },
        Forgetting("builderReadsGlobal", .failure) { _ = EnvironmentScope.current.pastReader },
        Forgetting("deferredReadsSet", .warning) { _ = try await EnvironmentScope.current.title() },
        Forgetting("deferredReadsLive", .failure) { _ = try await EnvironmentScope.current.file() },
        Forgetting("endpointDetached", .failure) {
            let client = EnvironmentScope.current.testedClient
            await Task.detached { _ = try? client.tags() }.value
        },
        Forgetting("rootReadsLive", .failure) { _ = EnvironmentScope.empty("app", parent: nil).port },
        Forgetting("rootForAChildReadsLive", .failure) {
            await EnvironmentScope.withScope("request") { _ in
            } operation: {
                _ = $0.port
            }
        },
        Forgetting("rootForAChildReadsSet", .nothing) {
            await EnvironmentScope.withScope("request") { _ in
            } operation: {
                _ = $0.user
            }
        },
        Forgetting("jobBelowTheApplication", .nothing, .scope(request: { $0.user = "Ada" })) {
            _ = EnvironmentScope.current.parent?.user
        },
    ]

    static let writes: [Forgetting] = [
        Forgetting("setsInGlobal", .failure) { EnvironmentScope.global.port = 1 },
        Forgetting("setsWithoutATrait", .failure, nil) { EnvironmentScope.current.port = 1 },
        Forgetting("providesInGlobal", .failure) { EnvironmentScope.global.provide(\.port) { _ in 1 } },
        Forgetting("decoratesInGlobal", .failure) { EnvironmentScope.global.decorate(\.user) { user, _ in user } },
        Forgetting("updatesGlobal", .failure) { try EnvironmentScope.global.update { $0.port = 1 } },
        Forgetting("setsInGlobalDetached", .failure) {
            await Task.detached { EnvironmentScope.current.port = 1 }.value
        },
        Forgetting("replacesGlobal", .failure) { EnvironmentScope.global = .empty("mine", parent: nil) },
    ]

    static let ends: [Forgetting] = [
        Forgetting("cleanupThrows", .failure) { EnvironmentScope.current.onClose { throw Down() } },
        Forgetting("cleanupOfAChildThrows", .failure) {
            await EnvironmentScope.current.withChild("request") {
                EnvironmentScope.current.onClose { throw Down() }
            }
        },
        Forgetting("cleanupHangs", .failure, .scope(closingWithin: .milliseconds(50))) {
            EnvironmentScope.current.onClose { try await Task.sleep(for: .seconds(1)) }
        },
        Forgetting("childIsLeftUnclosed", .failure) { EnvironmentScope.empty("request").onClose {} },
        Forgetting("rootIsLeftUnclosed", .failure) { EnvironmentScope.empty("app", parent: nil).onClose {} },
        Forgetting("buildsAfterTheEnd", .warning) {
            let child = EnvironmentScope("request") { $0.path = "own.db" }
            await child.close()
            child.provide(\.pool) { Pool(try $0.path) }
            _ = child.pool
        },
        Forgetting("isHeld", .warning) { kept.withLock { $0 = .current } },
        Forgetting("holdsItself", .warning) { EnvironmentScope.current.holder = .current },
        Forgetting("sharedReferenceIsBound", .warning) { EnvironmentScope.current.replace(in: shared) },
        Forgetting("taskIsNotAwaited", .warning) {
            let scope = EnvironmentScope.current
            Task {
                try? await Task.sleep(for: .seconds(1))
                _ = scope.user
            }
        },
        Forgetting("handMadeIsNotClosed", .nothing) { _ = Pool("hand") },
        Forgetting("deferredIsNotClosed", .nothing) {
            let scope = EnvironmentScope.current
            scope.provide(\.unclosed) { _ in Deferred { Pool("never closed") } }
            _ = try await scope.unclosed()
        },
    ]

    static let shapes: [Forgetting] = [
        Forgetting("role", .warning) {
            await EnvironmentScope.current.withChild("job") { _ = EnvironmentScope.current.basket.next() }
        },
        Forgetting("middlewareTwice", .nothing) {
            await EnvironmentScope.current.withChild("request", role: .request) {
                _ = EnvironmentScope.current.basket.next()
                await EnvironmentScope.current.withChild("request", role: .request) {
                    _ = EnvironmentScope.current.basket.next()
                }
            }
        },
        Forgetting("jobsShareARequest", .nothing) {
            await EnvironmentScope.current.withChild("worker", role: .request) {
                for _ in 0..<2 {
                    await EnvironmentScope.current.withChild("job") { _ = EnvironmentScope.current.basket.next() }
                }
            }
        },
        Forgetting("replacesNothing", .nothing) { EnvironmentScope.current.replace(in: [Clerk]()) },
        Forgetting("safeCounterIsShared", .nothing) { _ = EnvironmentScope.current.safeCounter.next() },
        Forgetting("setIsNotRead", .nothing, .scope { $0.unread = 7 }) {},
    ]
}
