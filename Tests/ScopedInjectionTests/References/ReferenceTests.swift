import ScopedInjection
import Testing

private struct Handler: Sendable {
    @Injected(\.port) var port
    @Injected(\.user) var user
    @Injected(\.user?.name) var userName
}

private final class PortService: Sendable {
    let port = Injected(\.port)
    let address = Injected { "\($0.host):\($0.port)" }

    var url: String { "http://\(address())" }
}

/// Not sendable, because the values of a reference need not be.
private final class Report {
    let port: Int
    init(port: Int) { self.port = port }
}

@Suite("R9: a reference resolves at each read", .programRoots)
struct ReferenceTests {
    private let first = EnvironmentScope("first", parent: nil) { $0.port = 1 }
    private let second = EnvironmentScope("second", parent: nil) { $0.port = 2 }

    @Test("In the scope that is current at the read") func currentScope() async {
        let handler = Handler()
        #expect(first { handler.port } == 1)
        #expect(second { handler.port } == 2)
        let later = await second {
            await Task.yield()
            return handler.port
        }
        #expect(later == 2)
        #expect(first { second { handler.port } } == 2)
    }

    @Test("With the value that is set at that moment") func laterValues() {
        let handler = Handler()
        first {
            #expect(handler.port == 1)
            first.port = 3
            #expect(handler.port == 3)
            first.removeValue(for: \.port)
            #expect(handler.port == 8080 && handler.user == nil)
            first.user = User(name: "Ada")
            #expect(handler.user == User(name: "Ada"))
        }
    }

    @Test("In its explicit scope if it has one, after a change in the new one, after nil in the current one")
    func explicitScope() {
        let handler = Handler()
        #expect(handler.$port.scope == nil)
        handler.$port.scope = first
        #expect(handler.$port.scope === first && handler.port == 1)
        first.port = 3
        #expect(second { handler.port } == 3)
        handler.$port.scope = second
        #expect(handler.$port.scope === second && handler.port == 2)
        handler.$port.scope = nil
        #expect(handler.$port.scope == nil)
        #expect(first { handler.port } == 3)
        #expect(second { handler.port } == 2)
    }

    @Test("Each reference of an instance has a scope of its own") func severalReferences() {
        let handler = Handler()
        first.user = User(name: "Ada")
        handler.$user.scope = first
        second {
            #expect(handler.port == 2)
            #expect(handler.user?.name == "Ada")
            #expect(handler.userName == nil)
        }
    }

    @Test("Copies of a struct share the scope of the reference") func copies() {
        let handler = Handler()
        let before = handler
        handler.$port.scope = first
        let after = handler
        #expect([before.port, handler.port, after.port] == [1, 1, 1] as [Int])
        after.$port.scope = second
        #expect(before.port == 2)
        #expect(Handler().$port.scope == nil)
    }

    @Test("A reference takes its scope where it is made, too, however it is spelled") func spellings() {
        for reference in [Injected(\.port, scope: first), Injected({ $0.port }, scope: first)] {
            #expect(reference.scope === first)
            #expect(second { reference() } == 1)
            reference.scope = second
            #expect(first { reference() } == 2)
        }
        @Injected(\.port, scope: first) var explicit
        @Injected(\.port, scope: second) var other
        #expect([explicit, other] == [1, 2])
    }

    @Test("A Sendable class has references as constants") func sendableClass() {
        let service = PortService()
        #expect(first { service.port() } == 1)
        #expect(first { service.port.wrappedValue } == 1)
        #expect(first { service.url } == "http://localhost:1")
        service.address.scope = second
        #expect(first { service.url } == "http://localhost:2")
        #expect(service.port.projectedValue === service.port)
    }

    @Test("A class that is not Sendable, a subclass, a generic type and a function have them as properties")
    func otherHolders() {
        class Base { @Injected(\.port) var port }
        final class Derived: Base { @Injected(\.host) var host }
        struct Generic<Value> {
            @Injected var value: Value
            init(_ path: @escaping @Sendable (ScopeView) -> Value) { _value = Injected(path) }
        }
        @Injected(\.port) var local
        first {
            #expect(Derived().port == 1)
            #expect(Derived().host == "localhost")
            #expect(Generic(\.port).value == 1)
            #expect(local == 1)
        }
    }

    @Test("A reference can be read while its instance is initialised") func initialisers() {
        struct Early {
            @Injected(\.port) var port
            let double: Int
            init() {
                double = Injected(\.port)() * 2
                precondition(port * 2 == double)
            }
        }
        #expect(first { Early().double } == 2)
        #expect(second { Early().double } == 4)
    }

    @Test("A reference's values need not be Sendable") func values() {
        let report = Injected { Report(port: $0.port) }
        #expect(first { report().port } == 1)
        let function = Injected { scope in { (number: Int) in scope.port + number } }
        #expect(first { function()(1) } == 2)
    }

    @Test("Many threads may read one while its scope, which nothing else keeps, is changed", arguments: [true, false])
    func threads(isOwning: Bool) async {
        let strange = Box<[String]>([])
        let reads = Box(0)
        let isDone = Box(false)
        let reference = Injected(\.host)
        let lasting = EnvironmentScope("lasting", parent: nil) { $0.host = "a host in a scope that stays" }
        reference.scope = lasting
        lasting.anything = Holder(host: reference)
        await onThreads(4) { number in
            guard number == 0 else {
                while !isDone.value {
                    let host = reference()
                    if !host.hasPrefix("a host in a scope") { strange.update { $0.append(host) } }
                    reads.update { $0 += 1 }
                }
                return
            }
            var round = 0
            // On a busy machine the others may begin late.
            while round < 2_000 || reads.value == 0 {
                round += 1
                if isOwning {
                    let host = "a host in a scope, \(round)"
                    reference.scope = EnvironmentScope("own", parent: nil) { $0.host = host }
                } else {
                    if round.isMultiple(of: 2) { lasting.replaceInValues() } else { reference.scope = lasting }
                }
            }
            isDone.value = true
        }
        #expect(strange.value.isEmpty)
    }

    private struct Holder { let host: Injected<String> }
}
