import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var made: ScopeValue<String> { .lazy { _ in EnvironmentScope.current.name ?? "no name" } }
    fileprivate static var fresh: ScopeValue<String> { .lazy(.transient) { _ in EnvironmentScope.current.name ?? "" } }
    fileprivate static var child: ScopeValue<ScopeOwner> { .lazy { _ in ScopeOwner(.empty("child")) } }
    fileprivate static var session: ScopeValue<EnvironmentScope> {
        .lazy(.once(in: .request)) { reader in
            let port = try reader.port
            return EnvironmentScope("session of \(EnvironmentScope.current.name ?? "")") { $0.port = port + 1 }
        }
    }
    fileprivate static var place: ScopeValue<String> {
        .lazy(.once(in: .request)) { _ in EnvironmentScope.current.name ?? "" }
    }
    fileprivate static var ofPlace: ScopeValue<String> { .lazy { "of \(try $0.place)" } }
}

@Suite("R4: while a value is built that others may share, there is no current scope", .programRoots)
struct CurrentInBuilderTests {
    /// A value whose builder asks for it, with its type.
    enum Asking: String, CaseIterable, Codable {
        case shared = "made (String)"
        case transient = "fresh (String)"
        case defaultParent = "child (ScopeOwner)"
        case provided = "host (String)"

        func read() {
            let app = EnvironmentScope.empty("app", parent: nil)
            switch self {
            case .shared: _ = app.made
            case .transient: _ = app.fresh
            case .defaultParent: _ = app.child
            case .provided:
                app.provide(\.host) { _ in EnvironmentScope.current.name ?? "" }
                _ = app.host
            }
        }
    }

    @Test("Asking for it ends the program with a text that says what to do", arguments: Asking.allCases)
    func asking(_ asking: Asking) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [asking] in
            useProgramRoots()
            asking.read()
        }
        let reason = "has no current scope, because the scope that will keep the value is not known yet."
        expect(result, says: "The builder of \(asking.rawValue) \(reason)")
        let name = asking.rawValue.prefix { $0 != " " }
        let text = """
            read through the builder's reader, give it the scope from outside, or declare \(name) .once(in: .request), \
            so that it stays in the scope of that role
            """
        expect(result, says: text)
        expect(result, says: "needs a parent: of its own. For a log line, ask EnvironmentScope.forLogging.")
    }

    @Test("In the builder of a value that stays it is the scope of the role, whoever asks") func staying() {
        let app = EnvironmentScope.empty("app", parent: nil)
        for _ in 0..<2 {
            let request = EnvironmentScope.empty("request", role: .request, parent: app)
            let part = EnvironmentScope.empty("part", parent: request)
            #expect(app { part.ofPlace } == "of request")
            #expect((part.place, request.place) == ("request", "request"))
        }
    }

    @Test("A scope that such a builder makes lies below the scope of the role by default") func child() {
        let app = EnvironmentScope("app", parent: nil) { $0.host = "app.org" }
        let request = EnvironmentScope("request", role: .request, parent: app) { $0.port = 1 }
        let session = EnvironmentScope.empty("part", parent: request).session
        #expect(session.parent === request)
        #expect((session.port, session.host, session.name) == (2, "app.org", "session of request"))
    }

    @Test("A scope that a builder enters is current in it, as anywhere") func entered() {
        let other = EnvironmentScope.empty("other", parent: nil)
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.made) { _ in other { EnvironmentScope.current.name ?? "" } }
        #expect(app.made == "other")
        app.provide(\.made) { _ in EnvironmentScope("own", parent: other) { $0.port = 1 }.parent?.name ?? "" }
        #expect(app.made == "other")
    }
}
