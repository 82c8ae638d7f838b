import ScopedInjection
import Testing

/// What a closed scope refuses is an input of a value whose builder goes on without it.
@Suite("R2, R11: a value that was built without what a closed scope refused is built again once that is not refused")
struct RefusedValueTests {
    /// Another name for a value that cannot be kept.
    private static let refused = "refused"

    @Test("If the scope comes to lie below another one with the same policy")
    func policyReachesFurther() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app, defaults: .forbidden)
        app.provide(HostKey.self) { builder in "\((try? builder.value(for: PortKey.self)) ?? 0)" }
        app.provide(TextKey.self) { _ in (try? request.value(for: HostKey.self)) ?? Self.refused }
        await request.close()
        #expect(app[TextKey.self] == Self.refused)
        let tests = EnvironmentScope.empty("tests", parent: app, defaults: .forbidden)
        request.parent = tests
        #expect(app[TextKey.self] == "0")
        #expect(tests.localValue(for: HostKey.self) == "0")
    }

    @Test("If a scope with another policy comes to lie between")
    func policyBreaks() async {
        let app = EnvironmentScope.empty("app", parent: nil, defaults: .forbidden)
        let request = EnvironmentScope.empty("request", parent: app, defaults: .forbidden)
        let holder = EnvironmentScope.empty("holder", parent: nil)
        app.provide(HostKey.self) { builder in "\((try? builder.value(for: PortKey.self)) ?? 0)" }
        holder.provide(TextKey.self) { _ in (try? request.value(for: HostKey.self)) ?? Self.refused }
        await app.close()
        #expect(holder[TextKey.self] == Self.refused)
        let free = EnvironmentScope.empty("free", parent: app, defaults: .allowed)
        request.parent = free
        #expect(holder[TextKey.self] == "0")
        #expect(request.localValue(for: HostKey.self) == "0")
        withExtendedLifetime(free) {}
    }

    @Test("If the scope changes places with one further out")
    func order() async {
        let outer = EnvironmentScope("outer", parent: nil) { $0.port = 1 }
        let closed = EnvironmentScope("closed", parent: outer) { $0.token = Token(text: "t") }
        let request = EnvironmentScope("request", parent: closed) { $0[SuffixKey.self] = "!" }
        outer.provide(HostKey.self) { builder in "\(builder.port)\(try builder.value(for: TokenKey.self).text)" }
        outer.provide(TextKey.self) { builder in
            ((try? builder.value(for: HostKey.self)) ?? Self.refused) + builder[SuffixKey.self]
        }
        await closed.close()
        #expect(request[TextKey.self] == "refused!")
        closed.parent = nil
        request.parent = outer
        outer.parent = closed
        #expect(request[TextKey.self] == "1t!")
    }

    @Test("Not if only another scope changes")
    func other() async {
        // Scopes that other tests move are a reason to build it again.
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope.empty("app", parent: nil)
            let request = EnvironmentScope("request", parent: app) { $0.port = 1 }
            let builds = Box(0)
            app.provide(HostKey.self) { builder in "\(builder.port)" }
            app.provide(TextKey.self) { _ in
                builds.update { $0 += 1 }
                return (try? request.value(for: HostKey.self)) ?? Self.refused
            }
            await request.close()
            #expect(app[TextKey.self] == Self.refused)
            _ = EnvironmentScope("other request", parent: app) { $0.port = 2 }
            app[SuffixKey.self] = "?"
            #expect(app[TextKey.self] == Self.refused)
            #expect(builds.value == 1)
        }
    }
}

// MARK: - Values of the tests

private enum TextKey: ScopeKey { static let defaultValue = "" }
private enum SuffixKey: ScopeKey { static let defaultValue = "" }
