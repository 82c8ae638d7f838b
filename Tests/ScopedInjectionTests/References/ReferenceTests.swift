import Dispatch
import Foundation
import Testing

@testable import ScopedInjection

private struct Handler: Sendable {
    @Injected(\.port) var port
    @Injected(\.user) var user
    @Injected(\.user?.name) var userName
}

private final class PortService: Sendable {
    let port = Injected(\.port)
    let address = Injected { scope in "\(scope.host):\(scope.port)" }

    var url: String { "http://\(address())" }
}

/// Not sendable, because the values of a reference need not be.
private final class Report {
    let port: Int
    init(port: Int) { self.port = port }
}

@Suite("R9: a reference resolves at each read")
struct ReferenceTests {
    private let first = EnvironmentScope("first", parent: nil) { $0.port = 1 }
    private let second = EnvironmentScope("second", parent: nil) { $0.port = 2 }

    @Test("In the scope that is current at the read")
    func currentScope() async {
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

    @Test("With the value that is set at that moment")
    func laterValues() {
        let handler = Handler()
        first {
            #expect(handler.port == 1)
            first.port = 3
            #expect(handler.port == 3)
            first.removeValue(for: PortKey.self)
            #expect(handler.port == 8080)
            #expect(handler.user == nil)
            first.user = User(name: "Ada")
            #expect(handler.user == User(name: "Ada"))
        }
    }

    @Test("In its explicit scope if it has one, whatever scope is current")
    func explicitScope() {
        let handler = Handler()
        handler.$port.scope = first
        #expect(handler.port == 1)
        #expect(second { handler.port } == 1)
        first.port = 3
        #expect(second { handler.port } == 3)
    }

    @Test("In its new scope after a change, and in the current one after it was set to nil")
    func changedScope() {
        let handler = Handler()
        #expect(handler.$port.scope == nil)
        handler.$port.scope = first
        #expect(handler.$port.scope === first)
        handler.$port.scope = second
        #expect(handler.$port.scope === second)
        #expect(handler.port == 2)
        handler.$port.scope = nil
        #expect(handler.$port.scope == nil)
        #expect(first { handler.port } == 1)
        #expect(second { handler.port } == 2)
    }

    @Test("Each reference of an instance has a scope of its own")
    func severalReferences() {
        let handler = Handler()
        first.user = User(name: "Ada")
        handler.$user.scope = first
        second {
            #expect(handler.port == 2)
            #expect(handler.user?.name == "Ada")
            #expect(handler.userName == nil)
        }
    }

    @Test("Copies of a struct share the scope of the reference")
    func copies() {
        let handler = Handler()
        let before = handler
        handler.$port.scope = first
        let after = handler
        #expect([before.port, handler.port, after.port] == [1, 1, 1] as [Int])
        after.$port.scope = second
        #expect(before.port == 2)
        #expect(Handler().$port.scope == nil)
    }

    @Test("Instances do not share it")
    func instances() {
        let one = Handler()
        let other = Handler()
        one.$port.scope = first
        #expect(second { other.port } == 2)
        #expect(second { one.port } == 1)
    }

    @Test("A Sendable class has references as constants")
    func sendableClass() {
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
            init(_ path: @escaping @Sendable (EnvironmentScope) -> Value) { _value = Injected(path) }
        }
        @Injected(\.port) var local
        first {
            #expect(Derived().port == 1)
            #expect(Derived().host == "localhost")
            #expect(Generic(\.port).value == 1)
            #expect(local == 1)
        }
    }

    @Test("A reference can be read while its instance is initialised")
    func initialisers() {
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

    @Test("Its values need not be Sendable")
    func values() {
        let report = Injected { Report(port: $0.port) }
        #expect(first { report().port } == 1)
        let function = Injected { scope in { (number: Int) in scope.port + number } }
        #expect(first { function()(1) } == 2)
    }

    @Test("A function may read other references, each in its own scope")
    func referencesInFunctions() {
        let port = Injected(\.port)
        let both = Injected { scope in [scope.port, port()] }
        #expect(first { both() } == [1, 1])
        port.scope = second
        #expect(first { both() } == [1, 2])
    }

    @Test(
        "It can be read by many threads while its scope, which nothing else keeps, is changed",
        arguments: [true, false]
    )
    func threads(isOwning: Bool) async {
        let strange = Box<[String]>([])
        let reads = Box(0)
        let isDone = Box(false)
        let reference = Injected(\.host)
        let lasting = EnvironmentScope("lasting", parent: nil) { $0.host = "a host in a scope that stays" }
        reference.scope = lasting
        await onThreads(4) { number in
            guard number == 0 else {
                while !isDone.value {
                    let host = reference()
                    if !host.hasPrefix("a host in a scope") { strange.update { $0.append(host) } }
                    reads.update { $0 += 1 }
                }
                return
            }
            for round in 0..<2_000 {
                if isOwning {
                    reference.scope = EnvironmentScope("own", parent: nil) { $0.host = "a host in a scope, \(round)" }
                } else {
                    lasting.replace(in: Holder(host: reference), options: round.isMultiple(of: 2) ? .unowned : [])
                }
            }
            isDone.value = true
        }
        #expect(strange.value.isEmpty)
        #expect(reads.value > 0)
    }

    private struct Holder { let host: Injected<String> }

    @Test("A scope that it read from stays until the threads are through that read in it")
    func scopeUnderALine() {
        let watch = LifetimeWatch()
        let reference = Injected(\.port)
        reference.scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 1 })
        let isSet = Box(false)
        let line = Lines.ofThread()
        Lines.shared.lock(line)
        let setter = onThread {
            reference.scope = nil
            isSet.value = true
        }
        for _ in 0..<1_000 where !isSet.value { sched_yield() }
        #expect(!isSet.value)
        Lines.shared.unlock(line)
        setter.wait()
        #expect(watch.alive == 0)
    }
}

// MARK: - Ways to refer

/// The ways to write the same reference.
private enum Spelling: CaseIterable {
    case literal, keyType, keyPathVariable, closure, closureVariable

    private static let paths: [any KeyPath<EnvironmentScope, Int> & Sendable] = [\.port]
    private static let function: @Sendable (EnvironmentScope) -> Int = { $0.port }

    func make(in scope: EnvironmentScope? = nil) -> Injected<Int> {
        switch self {
        case .literal: Injected(\.port, scope: scope)
        case .keyType: Injected(key: PortKey.self, scope: scope)
        case .keyPathVariable: Injected(keyPath: Self.paths[0], scope: scope)
        case .closure: Injected({ scope in scope.port }, scope: scope)
        case .closureVariable: Injected(Self.function, scope: scope)
        }
    }
}

@Suite("R9: ways to refer to a value")
struct SpellingTests {
    private let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }

    @Test("All read from the current scope", arguments: Spelling.allCases)
    fileprivate func current(_ spelling: Spelling) {
        let reference = spelling.make()
        #expect(scope { reference() } == 1)
        scope.port = 2
        #expect(scope { reference() } == 2)
        #expect(reference.scope == nil)
    }

    @Test("All read from an explicit scope", arguments: Spelling.allCases)
    fileprivate func explicit(_ spelling: Spelling) {
        let reference = spelling.make(in: scope)
        let other = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        #expect(reference.scope === scope)
        #expect(other { reference() } == 1)
        reference.scope = other
        #expect(scope { reference() } == 2)
    }

    @Test("Properties take all of them, with a scope or without")
    func properties() {
        struct Holder {
            let path: any KeyPath<EnvironmentScope, Int> & Sendable
            @Injected(\.port) var literal
            @Injected(key: PortKey.self) var keyType
            @Injected({ $0.port + 1 }) var closure
            @Injected(key: HostKey.self) var host: String
            @Injected var variable: Int

            init(path: any KeyPath<EnvironmentScope, Int> & Sendable) {
                self.path = path
                _variable = Injected(keyPath: path)
            }
        }
        let holder = Holder(path: \.port)
        scope {
            #expect(holder.literal == 1)
            #expect(holder.keyType == 1)
            #expect(holder.closure == 2)
            #expect(holder.host == "localhost")
            #expect(holder.variable == 1)
        }
        @Injected(\.port, scope: scope) var explicit
        #expect(explicit == 1)
    }

    @Test("A path may go through optionals and on into a value")
    func paths() {
        let name = Injected(\.user?.name)
        let length = Injected(\.user?.name.count)
        let text = Injected(\.token.text)
        scope.token = Token(text: "secret")
        scope {
            #expect(name() == nil)
            #expect(length() == nil)
            scope.user = User(name: "Ada")
            #expect(name() == "Ada")
            #expect(length() == 3)
            #expect(text() == "secret")
        }
    }

    @Test("One whose scope is gone is not taken for one without a scope where references are checked")
    func scopeIsGone() throws {
        struct Holder { let port = Injected(\.port) }
        let holder = Holder()
        do {
            let short = EnvironmentScope.empty("short", parent: nil)
            short.replace(in: holder, options: .unowned)
        }
        let error = #expect(throws: ScopeError.self) { try scope.validateReferences(in: holder) }
        #expect(error?.code == .parentReleased)
        #expect(error?.description.contains(#"its scope "short" is gone"#) == true)
        #expect(error?.location?.line == holder.port.location.line)
    }

    @Test("References to different values can be made from a list of paths")
    func listOfPaths() {
        let paths: [any KeyPath<EnvironmentScope, String> & Sendable] = [\.host, \.token.text, \.description]
        scope.token = Token(text: "secret")
        let texts = scope { paths.map { Injected(keyPath: $0)() } }
        #expect(texts == ["localhost", "secret", scope.description])
    }
}
