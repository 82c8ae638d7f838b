import ScopedInjection
import Testing

@Suite("R11: closing runs every cleanup once, then lets go of what was built")
struct ClosingTests {
    // MARK: Cleanups

    @Test("What was registered last is done first, each to its end before the next begins")
    func order() async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        for name in ["first", "second", "third"] {
            scope.onClose {
                log.add("\(name) begins")
                await Task.yield()
                log.add("\(name) ends")
            }
        }
        await scope.close()
        #expect(
            log.lines == [
                "third begins", "third ends", "second begins", "second ends", "first begins", "first ends",
            ]
        )
        #expect(scope.isClosed)
    }

    @Test("A scope nobody closed is open, and runs no cleanup when it goes away")
    func unclosed() {
        let log = Log()
        do {
            let scope = EnvironmentScope.empty(parent: nil)
            scope.onClose { log.add("cleanup") }
            #expect(!scope.isClosed)
        }
        #expect(log.lines.isEmpty)
    }

    @Test("Closing a scope without cleanups closes it")
    func nothingToDo() async {
        let scope = EnvironmentScope.empty(parent: nil)
        await scope.close()
        #expect(scope.isClosed)
    }

    @Test("A scope is closed only when its cleanups have ended")
    func closedAfterCleanups() async {
        let scope = EnvironmentScope.empty(parent: nil)
        let log = Log()
        scope.onClose { [unowned scope] in log.add("closed: \(scope.isClosed)") }
        await scope.close()
        #expect(log.lines == ["closed: false"])
        #expect(scope.isClosed)
    }

    @Test("Cleanups run once, however often the scope is closed", arguments: [1, 2, 50])
    func once(calls: Int) async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.onClose { log.add("cleanup") }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<calls { group.addTask { await scope.close() } }
        }
        await scope.close()
        #expect(log.lines == ["cleanup"])
    }

    @Test("A second call waits for the end of the first")
    @MainActor
    func secondCallWaits() async {
        let started = Barrier()
        let mayEnd = Barrier()
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.onClose {
            started.open()
            await mayEnd.pass()
            log.add("ended")
        }
        let first = Task {
            await scope.close()
            return log.lines
        }
        await started.pass()
        // The main actor is free for this only when the second call has begun to wait.
        Task { @MainActor in mayEnd.open() }
        await scope.close()
        #expect(log.lines == ["ended"])
        #expect(await first.value == ["ended"])
    }

    @Test("A cancelled task runs each cleanup to its end, and cleanups are not cancelled")
    func cancelledTask() async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        for name in ["first", "second"] {
            scope.onClose {
                await Task.yield()
                log.add("\(name), cancelled: \(Task.isCancelled)")
            }
        }
        let closing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await scope.close()
            #expect(Task.isCancelled)
            #expect(scope.isClosed)
        }
        await closing.value
        #expect(log.lines == ["second, cancelled: false", "first, cancelled: false"])
    }

    @Test("A task that is cancelled while cleanups run still waits for their end")
    func cancelledMeanwhile() async {
        let started = Barrier()
        let mayEnd = Barrier()
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.onClose {
            started.open()
            await mayEnd.pass()
            log.add("cancelled: \(Task.isCancelled)")
        }
        let closing = Task {
            await scope.close()
            return log.lines
        }
        await started.pass()
        closing.cancel()
        mayEnd.open()
        #expect(await closing.value == ["cancelled: false"])
    }

    @Test("A cleanup that is registered by a cleanup runs too, before the older ones")
    func cleanupAddsCleanup() async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.onClose { log.add("oldest") }
        scope.onClose { [unowned scope] in
            log.add("newest")
            scope.onClose { log.add("added") }
        }
        await scope.close()
        #expect(log.lines == ["newest", "added", "oldest"])
    }

    @Test("A cleanup may close the scope it belongs to")
    func cleanupClosesItsScope() async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.onClose { log.add("older") }
        scope.onClose { [unowned scope] in
            await scope.close()
            log.add("newer")
        }
        await scope.close()
        #expect(log.lines == ["newer", "older"])
        #expect(scope.isClosed)
    }

    @Test("A cleanup may close a child, whose cleanup may close the parent")
    func cleanupClosesChild() async {
        let log = Log()
        let app = EnvironmentScope.empty(parent: nil)
        let child = EnvironmentScope.empty(parent: app)
        app.onClose {
            await child.close()
            log.add("app")
        }
        child.onClose { [unowned app] in
            await app.close()
            log.add("child")
        }
        await app.close()
        #expect(log.lines == ["child", "app"])
        #expect(app.isClosed)
        #expect(child.isClosed)
    }

    @Test("In a cleanup the scope is the current one, and gives its values")
    func cleanupReadsValues() async {
        let log = Log()
        let scope = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let port = Injected(\.port)
        scope.onClose { log.add("\(EnvironmentScope.current.name ?? ""): \(port()), \(EnvironmentScope.current.host)") }
        await scope.close()
        #expect(log.lines == ["app: 9090, localhost"])
    }

    @Test("A cleanup may build a value, whose own cleanup runs as well")
    func cleanupBuilds() async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.provide(HostKey.self) { builder in
            builder.onClose { log.add("host closed") }
            return "example.org"
        }
        scope.onClose { log.add("read \(EnvironmentScope.current.host)") }
        await scope.close()
        #expect(log.lines == ["read example.org", "host closed"])
    }

    @Test("A cleanup that is registered after closing runs at once")
    func cleanupAfterClosing() async {
        let log = Log()
        let ended = Barrier()
        let scope = EnvironmentScope.empty(parent: nil)
        await scope.close()
        scope.onClose {
            log.add("cleanup")
            ended.open()
        }
        await ended.pass()
        #expect(log.lines == ["cleanup"])
    }

    @Test("Closing a parent leaves its children open")
    func childrenStayOpen() async {
        let app = EnvironmentScope.empty(parent: nil)
        let child = EnvironmentScope.empty(parent: app)
        await app.close()
        #expect(app.isClosed)
        #expect(!child.isClosed)
    }

    // MARK: Cleanups of builders

    @Test("A builder's cleanup runs with the scope that keeps the value, not the one that asked")
    func builderCleanup() async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        app.provide(HostKey.self) { builder in
            builder.onClose { log.add("closed in \(EnvironmentScope.current.name ?? "")") }
            return "example.org"
        }
        #expect(request.host == "example.org")
        await request.close()
        #expect(log.lines.isEmpty)
        await app.close()
        #expect(log.lines == ["closed in app"])
    }

    @Test("Where an input is overridden the value is kept there, and so is its cleanup")
    func builderCleanupWithOverride() async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { $0.port = 1 }
        app.provide(HostKey.self) { builder in
            let port = builder.port
            builder.onClose { log.add("closed \(port)") }
            return "host:\(port)"
        }
        #expect(app.host == "host:8080")
        #expect(request.host == "host:1")
        await request.close()
        #expect(log.lines == ["closed 1"])
        await app.close()
        #expect(log.lines == ["closed 1", "closed 8080"])
    }

    @Test("The cleanup of a builder that throws runs with the scope that asked")
    func throwingBuilderCleanup() async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        app.provide(HostKey.self) { builder in
            builder.onClose { log.add("cleaned up") }
            throw Failure()
        }
        #expect(throws: ScopeError.self) { try request.value(for: HostKey.self) }
        #expect(log.lines.isEmpty)
        await request.close()
        #expect(log.lines == ["cleaned up"])
        await app.close()
        #expect(log.lines == ["cleaned up"])
    }

    @Test("Values are closed in the opposite order of their building: what needs another goes first")
    func dependentsFirst() async {
        let log = Log()
        let scope = EnvironmentScope.empty(parent: nil)
        scope.provide(HostKey.self) { builder in
            let port = builder.port
            builder.onClose { log.add("host") }
            return "host:\(port)"
        }
        scope.provide(PortKey.self) { builder in
            builder.onClose { log.add("port") }
            return 1
        }
        #expect(scope.host == "host:1")
        await scope.close()
        #expect(log.lines == ["host", "port"])
    }

    // MARK: What a closed scope gives

    @Test("Closing lets go of what the scope built, not of what was set")
    func released() async {
        let scope = EnvironmentScope("app", parent: nil) { $0[SetKey.self] = Resource() }
        weak let set = scope[SetKey.self]
        weak let kept = scope[KeptKey.self]
        #expect(kept != nil)
        await scope.close()
        #expect(kept == nil)
        #expect(set != nil)
        #expect(scope[SetKey.self] === set)
    }

    @Test("A closed scope gives what is set in it, set above, and kept above")
    func stillGives() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.token = Token(text: "secret") }
        let request = EnvironmentScope("request", parent: app) { $0.host = "example.org" }
        #expect(app.port == 8080)
        await request.close()
        #expect(try request.value(for: HostKey.self) == "example.org")
        #expect(try request.value(for: TokenKey.self) == Token(text: "secret"))
        #expect(try request.value(for: PortKey.self) == 8080)
        request.host = "example.com"
        #expect(request.host == "example.com")
    }

    @Test("A closed scope builds nothing, wherever the value would be kept", arguments: Lifetime.allCases)
    func buildsNothing(lifetime: Lifetime) async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        await request.close()
        let error = try #require(throws: ScopeError.self) { try lifetime.read(in: request) }
        #expect(error.code == .closed)
        #expect(error.searchedScopes == [#""request""#, #""app""#])
        #expect(try lifetime.read(in: app) == 1)
    }

    @Test("What was built before closing has to be built again, which is an error")
    func keptIsGone() async throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        #expect(scope.port == 8080)
        await scope.close()
        let error = try #require(throws: ScopeError.self) { try scope.value(for: PortKey.self) }
        #expect(error.code == .closed)
    }

    @Test("An open child of a closed scope cannot have a value kept there")
    func keepsNothing() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        await app.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: PortKey.self) }
        #expect(error.code == .closed)
        #expect(error.description.contains(#""app" is closed"#))
        #expect(app.localValue(for: PortKey.self) == nil)
    }

    @Test("An open child of a closed scope builds what it keeps itself")
    func childKeepsItsOwn() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { $0.token = Token(text: "mine") }
        app.provide(HostKey.self) { builder in try builder.value(for: TokenKey.self).text }
        await app.close()
        #expect(try request.value(for: HostKey.self) == "mine")
        #expect(request.localValue(for: HostKey.self) == "mine")
    }

    @Test("What an input of a builder is closed to is named with the path of keys")
    func closedInput() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { scope in
            scope.provide(HostKey.self) { builder in "\(try builder.value(for: PortKey.self))" }
        }
        await app.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: HostKey.self) }
        #expect(error.code == .closed)
        #expect(error.key == "PortKey")
        #expect(error.path == ["HostKey", "PortKey"])
    }

    // MARK: withChild

    @Test("withChild makes a child current for the operation and closes it at the end")
    func child() async throws {
        let log = Log()
        let app = EnvironmentScope("app", parent: nil) { $0.host = "example.org" }
        let child = await app.withChild("request") {
            $0.port = 1
            $0.onClose { log.add("closed") }
        } operation: {
            let current = EnvironmentScope.current
            #expect(current.name == "request")
            #expect(current.parent === app)
            #expect(current.port == 1)
            #expect(current.host == "example.org")
            #expect(!current.isClosed)
            #expect(log.lines.isEmpty)
            return current
        }
        #expect(child.isClosed)
        #expect(log.lines == ["closed"])
        #expect(!app.isClosed)
        #expect(EnvironmentScope.current !== child)
    }

    @Test("withChild without values gives what the operation returns")
    func childWithoutValues() async {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        let port = await app.withChild { EnvironmentScope.current.port + 1 }
        #expect(port == 2)
    }

    @Test("withChild closes the child when the operation throws, and passes the error on")
    func throwingOperation() async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        await #expect(throws: Failure.self) {
            try await app.withChild {
                EnvironmentScope.current.onClose { log.add("closed") }
                throw Failure()
            }
        }
        #expect(log.lines == ["closed"])
    }

    @Test("withChild closes the child when its configuration throws, and does not run the operation")
    func throwingConfiguration() async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        await #expect(throws: Failure.self) {
            try await app.withChild("request") {
                $0.onClose { log.add("closed") }
                throw Failure()
            } operation: {
                log.add("ran")
            }
        }
        #expect(log.lines == ["closed"])
    }

    @Test("withChild passes cancellation on to the operation and still closes the child")
    func cancelledOperation() async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        let task = Task {
            try await app.withChild {
                EnvironmentScope.current.onClose { log.add("closed, cancelled: \(Task.isCancelled)") }
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
                log.add("went on")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.lines == ["closed, cancelled: false"])
    }

    @Test("withChild runs the operation on the caller's actor")
    @MainActor
    func operationIsolation() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        var count = 0
        await app.withChild {
            MainActor.assertIsolated()
            count += 1
        }
        #expect(count == 1)
    }
}

// MARK: - What the tests look at

private struct Failure: Error {}

private final class Resource: Sendable {}

private enum SetKey: ScopeKey { typealias Value = Resource? }

private enum KeptKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Resource { Resource() }
}

private enum SharedKey: ScopeKey { static let defaultValue = 1 }

private enum ScopedKey: ScopeKey {
    static let defaultValue = 1
    static let lifetime = ValueLifetime.scoped
}

private enum TransientKey: ScopeKey {
    static let defaultValue = 1
    static let lifetime = ValueLifetime.transient
}

extension ClosingTests {
    enum Lifetime: CaseIterable {
        case shared, scoped, transient

        func read(in scope: EnvironmentScope) throws -> Int {
            switch self {
            case .shared: try scope.value(for: SharedKey.self)
            case .scoped: try scope.value(for: ScopedKey.self)
            case .transient: try scope.value(for: TransientKey.self)
            }
        }
    }
}

/// What happened, in order.
private final class Log: Sendable {
    private let added = Box<[String]>([])

    var lines: [String] { added.value }

    func add(_ line: String) { added.update { $0.append(line) } }
}

/// Lets no task pass until it is opened.
private final class Barrier: Sendable {
    private let state = Box<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiting = state.update { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.update { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
