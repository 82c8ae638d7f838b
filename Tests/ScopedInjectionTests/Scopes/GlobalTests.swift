import Dispatch
import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var poolOfGlobal: ScopeValue<Product> { .lazy { _ in Product("pool") } }
    fileprivate static var onPoolOfGlobal: ScopeValue<[Product]> {
        .lazy { [try $0.poolOfGlobal, Product("port \(try $0.port)")] }
    }
    fileprivate static var onPort: ScopeValue<Product> { .lazy { Product("port \(try $0.port)") } }
}

// A test that changes the global scope runs in a process of its own, where it disturbs no other test.
@Suite("R13: the global scope", .programRoots)
struct GlobalTests {
    @Test("The global scope always exists, has a name and no parent, and is current if no scope was entered")
    func atTheStart() async {
        await #expect(processExitsWith: .success) {
            #expect(EnvironmentScope.global.name == "global")
            #expect(EnvironmentScope.global.parent == nil)
            #expect(EnvironmentScope.current === EnvironmentScope.global)
            #expect(EnvironmentScope.global.user == nil)
        }
    }

    @Test("The global scope is the parent of scopes that are made without one") func defaultParent() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            EnvironmentScope.global { $0.port = 1 }
            let configured = EnvironmentScope("app") { $0.host = "example.org" }
            for scope in [configured, .empty("app")] {
                #expect(scope.parent === EnvironmentScope.global && scope.port == 1)
            }
        }
    }

    @Test("A reference outside of every scope reads from it") func reference() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            let port = Injected(\.port)
            #expect(port() == 8080)
            EnvironmentScope.global.port = 1
            #expect(port() == 1)
            EnvironmentScope.global = EnvironmentScope("new", parent: nil) { $0.port = 2 }
            #expect(port() == 2)
            #expect(EnvironmentScope.current === EnvironmentScope.global)
        }
    }

    @Test("What a scope below has built from a value that the former one keeps is built anew, and nothing else")
    func builtBelow() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            let app = EnvironmentScope("app") { $0.port = 1 }
            let (onPool, alone) = (app.onPoolOfGlobal, app.onPort)
            #expect(onPool[0] === EnvironmentScope.global.poolOfGlobal)
            EnvironmentScope.global = .empty("new", parent: nil)
            #expect(app.onPoolOfGlobal[0] === EnvironmentScope.global.poolOfGlobal)
            #expect(app.onPoolOfGlobal[0] !== onPool[0])
            #expect(app.onPort === alone)
        }
    }

    @Test("Scopes made under it follow it: the new one becomes their parent") func following() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            EnvironmentScope.global.port = 1
            let app = EnvironmentScope.empty("app")
            let request = EnvironmentScope.empty("request", parent: app)
            #expect(request.port == 1)
            let replacement = EnvironmentScope("replacement", parent: nil) { $0.port = 2 }
            EnvironmentScope.global = replacement
            #expect(EnvironmentScope.global === replacement)
            #expect(app.parent === replacement && app.port == 2)
            #expect(request.port == 2)
            #expect(request.description == #"EnvironmentScope("request" → "app" → "replacement")"#)
            EnvironmentScope.global = .empty(parent: nil)
            #expect(request.port == 8080)
        }
    }

    @Test("A scope follows it if it was made under it when it was global, and not if it was made before")
    func madeBefore() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            let root = EnvironmentScope("root", parent: nil) { $0.port = 1 }
            let app = EnvironmentScope.empty("app", parent: root)
            EnvironmentScope.global = root
            let later = EnvironmentScope.empty("later", parent: root)
            let replacement = EnvironmentScope("replacement", parent: nil) { $0.port = 2 }
            EnvironmentScope.global = replacement
            #expect((app.port, later.port) == (1, 2))
        }
    }

    @Test("Values kept in the old one are not seen in the new one, and values built from them are rebuilt")
    func keptValues() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            let old = EnvironmentScope.global
            let app = EnvironmentScope("app") { $0.host = "example.org" }
            let oldConnection = app.connection
            #expect(old.localValue(for: \.connection) === oldConnection)
            #expect(app.address == "example.org:8080")
            EnvironmentScope.global = EnvironmentScope("replacement", parent: nil) { $0.port = 1 }
            #expect(EnvironmentScope.global.localValue(for: \.connection) == nil)
            #expect(app.connection !== oldConnection)
            #expect(app.connection === EnvironmentScope.global.connection)
            #expect(app.address == "example.org:1")
            EnvironmentScope.global = old
            #expect(app.connection === oldConnection)
            #expect(app.address == "example.org:8080")
        }
    }

    @Test("A replaced global scope that nothing holds goes away with its values") func releasing() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            weak let connection = EnvironmentScope.global.connection
            #expect(connection != nil)
            EnvironmentScope.global = .empty(parent: nil)
            #expect(connection == nil)
        }
    }

    @Test("A chain whose root became the global scope later stays alive while it is entered, and keeps its values")
    func rootOfChain() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
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

    @Test("Reads go on while it is replaced again and again") func replacedWhileRead() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            // Each has the value, so that no read may find none.
            EnvironmentScope.global.port = 0
            let app = EnvironmentScope.empty("app")
            let port = Injected(\.port)
            await onThreads(3) { index in
                for number in 0..<2_000 {
                    if index == 0 {
                        EnvironmentScope.global = EnvironmentScope(parent: nil) { $0.port = number }
                    } else {
                        precondition((0..<2_000).contains(index == 1 ? port() : app.port))
                        precondition(!EnvironmentScope.global.isClosed)
                    }
                }
            }
        }
    }

    @Test("One that goes unclosed runs its cleanups, which may read, while scopes below it build")
    func leftUnclosed() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
            let (rounds, ended, allEnded, isOver) = (300, Box(0), DispatchSemaphore(value: 0), Box(false))
            func replace() {
                EnvironmentScope.global = EnvironmentScope(parent: nil, defaults: .allowed) {
                    $0.port = 2
                    $0.onClose {
                        await Task.yield()
                        precondition(EnvironmentScope.current.onPort.text == "port 2")
                        if ended.next() == rounds { allEnded.signal() }
                    }
                }
            }
            replace()
            let app = EnvironmentScope("app") { $0.host = "app" }
            let reader = onThread {
                while !isOver.value { _ = givenDespiteChanges { try app.value(for: \.onPoolOfGlobal) } }
            }
            for _ in 0..<rounds { replace() }
            isOver.value = true
            await reader.passed()
            await onThread { precondition(allEnded.wait(timeout: .now() + hangLimit) == .success) }.passed()
        }
    }

    @Test("A scope that has a parent cannot take its place") func withParent() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            EnvironmentScope.global = EnvironmentScope.empty("app")
        }
        let text = """
            "app" has a parent, so it cannot be the global scope.
              To fix it: make it with parent: nil.
            """
        expect(result, saysExactly: text)
    }

    @Test("Replacing it by itself changes nothing") func replacingByItself() async {
        await #expect(processExitsWith: .success) {
            useProgramRoots()
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

extension ScopeValues {
    fileprivate static var connection: ScopeValue<Connection> { .lazy { _ in Connection() } }
    fileprivate static var address: ScopeValue<String> { .lazy { "\(try $0.host):\(try $0.port)" } }
}
