import ScopedInjection
import Testing

extension ScopeValues { fileprivate static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, id: name) } }

private struct Client {
    @Injected({ "\($0.host):\($0.port)" }) var address
    @Injected({ $0[ScopeValues.flag("beta")] }) var isBeta
    @Injected(\.user?.name.count) var length
    static let lineOfText: UInt = #line + 1
    @Injected({ "\($0.host) \($0.token.text)" }) var text
}

@Suite("A function of a reference reads through a view", .programRoots)
struct ScopeViewTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }

    @Test("A view reads members, longer paths, and values that are given as such") func reads() {
        let client = Client()
        app {
            #expect(client.address == "localhost:1")
            #expect(client.length == nil)
            #expect(!client.isBeta)
            app.user = User(name: "Ada")
            app[ScopeValues.flag("beta")] = true
            #expect(client.length == 3 && client.isBeta)
        }
    }

    @Test("A view is that of the current scope, or of the reference's own") func scopes() {
        let client = Client()
        let other = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        client.$address.scope = other
        #expect(app { client.address } == "localhost:2")
        client.$address.scope = nil
        #expect(other { app { client.address } } == "localhost:1")
        #expect(EnvironmentScope.empty("live", defaults: .allowed)() { client.address } == "localhost:8080")
    }

    @Test("A function may read other references, each in its own scope") func otherReferences() {
        let port = Injected(\.port)
        let both = Injected { view in [view.port, port()] }
        #expect(app { both() } == [1, 1])
        port.scope = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        #expect(app { both() } == [1, 2])
    }

    @Test("A value that is missing ends the program with a text that names the reference's line")
    func failure() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            useProgramRoots()
            let app = EnvironmentScope.empty("app", parent: nil)
            app { _ = Client().text }
        }
        expect(result, says: "No value for token (Token)")
        expect(result, says: "Read by: the reference at \(#fileID):\(Client.lineOfText)")
    }
}
