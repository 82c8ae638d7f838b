import ScopedInjection
import Testing

@Suite("R11: cleanups that builders register")
struct BuilderCleanupTests {
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

    @Test("If an input is overridden, the value and its cleanup are kept there")
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

    @Test(
        "That of a transient value runs with the scope that keeps what was built from it, whoever asks first",
        arguments: [false, true],
        [ValueLifetime.shared, .transient]
    )
    func transientWithin(isAskedByApp: Bool, between: ValueLifetime) async {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        let part = transient(log)
        let middle = ScopeValue(between, name: "middle") { scope in scope[part] }
        let whole = ScopeValue(name: "whole") { scope in scope[middle] }
        _ = (isAskedByApp ? app : request)[whole]
        await request.close()
        #expect(log.lines.isEmpty)
        await app.close()
        #expect(log.lines == ["closed"])
    }

    @Test("That of a transient value that is read alone, or in a scope that a builder makes, runs with that scope")
    func transientAlone() async throws {
        let log = Log()
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        let part = transient(log)
        _ = request[part]
        await request.close()
        #expect(log.lines == ["closed"])

        let made = Box<EnvironmentScope?>(nil)
        let whole = ScopeValue(name: "whole") { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            made.value = own
            return own[part]
        }
        _ = app[whole]
        try await #require(made.value).close()
        #expect(log.lines == ["closed", "closed"])
        await app.close()
        #expect(log.lines == ["closed", "closed"])
    }

    private func transient(_ log: Log) -> ScopeValue<Int> {
        ScopeValue(.transient, name: "part") { scope in
            scope.onClose { log.add("closed") }
            return 1
        }
    }

    @Test("Cleanups run in the reverse order of the builds, so a value goes before its inputs")
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
}

private struct Failure: Error {}
