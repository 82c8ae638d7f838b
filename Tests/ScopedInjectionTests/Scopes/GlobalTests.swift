import ScopedInjection
import Testing

// A test that changes the global scope runs in a process of its own, where it disturbs no other test.
@Suite("R13: the global scope")
struct GlobalTests {
    @Test("It always exists, has a name and no parent, and is current if no scope was entered")
    func atTheStart() async {
        await #expect(processExitsWith: .success) {
            #expect(EnvironmentScope.global.name == "global")
            #expect(EnvironmentScope.global.parent == nil)
            #expect(EnvironmentScope.current === EnvironmentScope.global)
            #expect(EnvironmentScope.global.port == 8080)
        }
    }

    @Test("It is an input also of the builder that is the first to use it")
    func firstInBuilder() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(HostKey.self) { _ in "\(EnvironmentScope.global.port)" }
            #expect(app.host == "8080")
            EnvironmentScope.global.port = 1
            #expect(app.host == "1")
        }
    }

    @Test("It is the parent of scopes that are made without one")
    func defaultParent() async {
        await #expect(processExitsWith: .success) {
            EnvironmentScope.global { $0.port = 1 }
            let configured = EnvironmentScope("app") { $0.host = "example.org" }
            for scope in [configured, .empty("app")] {
                #expect(scope.parent === EnvironmentScope.global)
                #expect(scope.port == 1)
            }
        }
    }

    @Test("A reference outside of every scope reads from it")
    func reference() async {
        await #expect(processExitsWith: .success) {
            let port = Injected(\.port)
            #expect(port() == 8080)
            EnvironmentScope.global.port = 1
            #expect(port() == 1)
            EnvironmentScope.global = EnvironmentScope("new", parent: nil) { $0.port = 2 }
            #expect(port() == 2)
            #expect(EnvironmentScope.current === EnvironmentScope.global)
        }
    }

    // MARK: Replacing

    @Test("Scopes made under it follow it: the new one becomes their parent")
    func following() async {
        await #expect(processExitsWith: .success) {
            EnvironmentScope.global.port = 1
            let app = EnvironmentScope.empty("app")
            let request = EnvironmentScope.empty("request", parent: app)
            #expect(request.port == 1)

            let replacement = EnvironmentScope("replacement", parent: nil) { $0.port = 2 }
            EnvironmentScope.global = replacement
            #expect(EnvironmentScope.global === replacement)
            #expect(app.parent === replacement)
            #expect(app.port == 2)
            #expect(request.port == 2)
            #expect(request.description == #"EnvironmentScope("request" → "app" → "replacement")"#)

            EnvironmentScope.global = .empty(parent: nil)
            #expect(request.port == 8080)
        }
    }

    @Test("Code that runs in a scope follows a replacement at once")
    func followingWhileEntered() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope.empty("app")
            let port = Injected(\.port)
            app {
                EnvironmentScope.global = EnvironmentScope("replacement", parent: nil) { $0.port = 2 }
                #expect(port() == 2)
            }
        }
    }

    @Test("A scope with another parent, or none, does not follow")
    func notFollowing() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
            let request = EnvironmentScope.empty("request", parent: app)
            EnvironmentScope.global = EnvironmentScope("replacement", parent: nil) { $0.port = 2 }
            #expect(app.parent == nil)
            #expect(request.parent === app)
            #expect(request.port == 1)
        }
    }

    @Test("A scope that is given the global one as its new parent follows from then on")
    func followingLater() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.parent = .global
            EnvironmentScope.global = EnvironmentScope("replacement", parent: nil) { $0.port = 2 }
            #expect(app.port == 2)
        }
    }

    @Test("Values kept in the old one are not seen in the new one, and values built from them are rebuilt")
    func keptValues() async {
        await #expect(processExitsWith: .success) {
            let old = EnvironmentScope.global
            let app = EnvironmentScope("app") { $0.host = "example.org" }
            let oldConnection = app[ConnectionKey.self]
            #expect(old.localValue(for: ConnectionKey.self) === oldConnection)
            #expect(app[AddressKey.self] == "example.org:8080")

            EnvironmentScope.global = EnvironmentScope("replacement", parent: nil) { $0.port = 1 }
            #expect(EnvironmentScope.global.localValue(for: ConnectionKey.self) == nil)
            #expect(app[ConnectionKey.self] !== oldConnection)
            #expect(app[ConnectionKey.self] === EnvironmentScope.global[ConnectionKey.self])
            #expect(app[AddressKey.self] == "example.org:1")

            EnvironmentScope.global = old
            #expect(app[ConnectionKey.self] === oldConnection)
            #expect(app[AddressKey.self] == "example.org:8080")
        }
    }

    @Test("A replaced global scope that nothing holds goes away with its values")
    func releasing() async {
        await #expect(processExitsWith: .success) {
            weak let connection = EnvironmentScope.global[ConnectionKey.self]
            #expect(connection != nil)
            EnvironmentScope.global = .empty(parent: nil)
            #expect(connection == nil)
        }
    }

    @Test("A replaced global scope may be given a parent")
    func oldGetsParent() async {
        await #expect(processExitsWith: .success) {
            let old = EnvironmentScope.global
            EnvironmentScope.global = EnvironmentScope("replacement", parent: nil) { $0.port = 1 }
            #expect(old.port == 8080)
            old.parent = .global
            #expect(old.port == 1)
        }
    }

    @Test("A chain whose root became the global scope later stays alive while it is entered, and keeps its values")
    func rootOfChain() async {
        await #expect(processExitsWith: .success) {
            var parent: EnvironmentScope? = EnvironmentScope("parent", parent: nil) { $0.port = 1 }
            let child = EnvironmentScope.empty("child", parent: parent)
            EnvironmentScope.global = parent ?? .global
            parent = nil
            child {
                EnvironmentScope.global = EnvironmentScope("next", parent: nil) { $0.port = 2 }
                precondition(child.port == 1)
            }
        }
    }

    @Test("A value built from its name is rebuilt for each new one, wherever that lies in memory")
    func name() async {
        await #expect(processExitsWith: .success) {
            let child = EnvironmentScope.empty("child")
            let holder = EnvironmentScope.empty("holder", parent: nil)
            holder.provide(HostKey.self) { _ in child.parent?.name ?? "" }
            holder.provide(AddressKey.self) { _ in EnvironmentScope.global.name ?? "" }
            for round in 0..<100 {
                EnvironmentScope.global = .empty("seen \(round)", parent: nil)
                #expect(holder.host == "seen \(round)")
                #expect(holder[AddressKey.self] == "seen \(round)")
                // The one before goes, and the next one may take up its memory.
                EnvironmentScope.global = .empty("unseen", parent: nil)
            }
        }
    }

    @Test("What a builder asked a scope that was global is asked that scope again")
    func formerGlobal() async {
        await #expect(processExitsWith: .success) {
            let former = EnvironmentScope.empty("former", parent: nil)
            let holder = EnvironmentScope.empty("holder", parent: nil)
            holder.provide(HostKey.self) { _ in former.parent?.name ?? "none" }
            EnvironmentScope.global = former
            #expect(holder.host == "none")
            EnvironmentScope.global = .empty("next", parent: nil)
            #expect(holder.host == "none")
            former.parent = EnvironmentScope.global
            #expect(holder.host == "next")
        }
    }

    @Test("Replacing it by itself changes nothing")
    func replacingByItself() async {
        await #expect(processExitsWith: .success) {
            let global = EnvironmentScope.global
            global.port = 1
            let app = EnvironmentScope.empty("app")
            EnvironmentScope.global = global
            #expect(EnvironmentScope.global === global)
            #expect(app.port == 1)
        }
    }
}

// MARK: - Values of the tests

private final class Connection: Sendable {}

private enum ConnectionKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Connection { Connection() }
}

private enum AddressKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { "\(scope.host):\(scope.port)" }
}
