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
