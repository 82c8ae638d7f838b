import Dispatch
import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static let detail = ScopeValue(0)
    fileprivate static let first = ScopeValue(1)
    fileprivate static let second = ScopeValue(1)
    fileprivate static let text = ScopeValue("text")
    fileprivate static let result = ScopeValue<String>.required()
    fileprivate static let made = ScopeValue<EnvironmentScope?>()
    fileprivate static let described = ScopeValue { scope in "\(EnvironmentScope.empty("own", parent: scope))" }
    fileprivate static let explained = ScopeValue { scope in
        EnvironmentScope.empty("own", parent: scope).explain(\.person).scope ?? "nobody"
    }
    fileprivate static let count = ScopeValue { scope in
        EnvironmentScope.empty("own", parent: scope).graph.nodes.count
    }
}

@Suite("R4: what a builder learns through scopes of its own, on whichever thread")
struct OwnScopeTests {
    private let app, alice, bob: EnvironmentScope

    init() { (app, alice, bob) = makeRequests() }

    @Test("What a scope of its own tells of the asking scope reaches no other request")
    func told() {
        #expect(alice.described == bob.described)
        #expect(alice.explained == "alice")
        #expect(bob.explained == "bob")
        _ = alice.count
        #expect(app.localValue(for: \.count) == nil)
    }

    @Test("What another thread reads through it is an input")
    func otherThread() {
        app.provide(\.result) { scope in
            let own = EnvironmentScope("own", parent: scope) { $0.detail = 1 }
            return elsewhere { own.person ?? "nobody" }
        }
        #expect(alice.result == "alice")
        #expect(bob.result == "bob")
    }

    @Test("So is what it reads through a scope that it makes below the builder's, or below one that the builder made")
    func madeOnOtherThread() {
        app.provide(\.result) { scope in
            let own = EnvironmentScope("own", parent: scope) { $0.detail = 1 }
            return elsewhere {
                let persons = [
                    EnvironmentScope.empty(parent: scope).person,
                    EnvironmentScope.empty(parent: own).person,
                    scope { EnvironmentScope.empty() }.person,
                ]
                return persons.map { $0 ?? "nobody" }.joined()
            }
        }
        #expect(alice.result == "alicealicealice")
        #expect(bob.result == "bobbobbob")
    }

    /// Lets the result be built from a text, whose builder uses the scope of the result's builder.
    private func provideWithin(_ text: @escaping @Sendable (_ outer: EnvironmentScope) -> String) {
        let view = Box<EnvironmentScope?>(nil)
        app.provide(\.result) { scope in
            view.value = scope
            defer { view.value = nil }
            return scope.text
        }
        app.provide(\.text) { _ in view.value.map(text) ?? "read by itself" }
    }

    @Test(
        "A build that asks the scope of the one around it for its parent, or for an explanation",
        arguments: [false, true]
    )
    func askedWithin(explains: Bool) {
        provideWithin { outer in
            explains ? outer.explain(\.person).scope ?? "none" : outer.parent?.name ?? "none"
        }
        let part = EnvironmentScope.empty("part", parent: alice)
        #expect(part.result == alice.name)
        part.parent = bob
        #expect(part.result == bob.name)
    }

    @Test(
        "What a build within reads through a scope that it makes below the outer one's is an input of both",
        arguments: [true, false]
    )
    func buildWithin(isElsewhere: Bool) {
        provideWithin { outer in
            let own = EnvironmentScope("own", parent: outer) { $0.detail = 1 }
            return elsewhere(if: isElsewhere) { own.person ?? "nobody" }
        }
        #expect(alice.result == "alice")
        #expect(app.localValue(for: \.result) == nil)
        alice.person = "another"
        #expect(alice.result == "another")
    }

    @Test("A value that needs itself there, and on another thread, is a cycle")
    func cycleOnOtherThread() {
        app.provide(\.result) { scope in
            let own = EnvironmentScope("own", parent: scope) { $0.detail = 1 }
            return try elsewhere { try own.value(for: \.result) }
        }
        let error = #expect(throws: ScopeError.self) { try app.value(for: \.result) }
        #expect(error?.code == .cycle)
    }

    @Test("A value that is decorated in a scope of the builder's own is kept")
    func decorated() {
        let builds = Box(0)
        app.text = "app"
        app.provide(\.result) { scope in
            builds.value += 1
            let own = EnvironmentScope("own", parent: scope) {
                $0.provide(\.text) { scope in try scope.inherited(\.text) + "+own" }
            }
            return own.text
        }
        for _ in 0..<3 { #expect(bob.result == "app+own") }
        #expect(builds.value == 1)
        app.text = "other"
        #expect(bob.result == "other+own")
    }

    @Test("What it inherits through a scope of its own follows an override")
    func inherited() {
        app.first = 1
        let part = EnvironmentScope("part", parent: app) { $0.second = 1 }
        part.provide(\.result) { scope in
            "\(try EnvironmentScope.empty("own", parent: scope).inherited(\.first) * scope.second)"
        }
        for _ in 0..<2 { #expect(part.result == "1") }
        let request = EnvironmentScope("request", parent: part) { $0.first = 2 }
        #expect(request.result == "2")
    }

    @Test("A builder that sets values in a scope of its own is run again if it was overtaken")
    func overtaken() {
        let (inside, mayGoOn) = (Gate(), Gate())
        let runs = Box(0)
        app.provide(\.result) { scope in
            let own = EnvironmentScope("own", parent: scope) { $0.detail = 1 }
            let first = own.first
            if runs.update({
                $0 += 1; return $0
            }) == 1 {
                inside.open()
                mayGoOn.wait()
            }
            return "\(first) \(own.second)"
        }
        let seen = Box("")
        let reading = onThread { [app] in seen.value = app.result }
        inside.wait()
        app.first = 2
        app.second = 2
        mayGoOn.open()
        reading.wait()
        #expect(seen.value == "2 2")
    }

    @Test("A scope that another builder made is a scope like any other")
    func madeByAnother() {
        let made = Box<EnvironmentScope?>(nil)
        app.provide(\.text) { _ in "\(made.value?.detail ?? 0)" }
        app.provide(\.result) { scope in
            made.value = EnvironmentScope("made", parent: nil) { $0.detail = 1 }
            return scope.text
        }
        #expect(app.result == "1")
        made.value?.detail = 2
        #expect(app.text == "2")
        made.value = nil
    }

    @Test("What it is told of its parent on another thread reaches no other request", arguments: [false, true])
    func parentOnOtherThread(isOfOwnScope: Bool) {
        let parts = [alice, bob].map { EnvironmentScope.empty("part", parent: $0) }
        app.provide(\.result) { scope in
            let asked = isOfOwnScope ? EnvironmentScope.empty("own", parent: scope) : scope
            return elsewhere {
                let parent = isOfOwnScope ? asked.parent?.parent : asked.parent
                return parent?.name ?? "none"
            }
        }
        #expect(parts.map(\.result) == ["alice", "bob"])
    }

    @Test("What it inherits on another thread is what it inherits on its own")
    func inheritedOnOtherThread() {
        app.text = "app"
        let part = EnvironmentScope.empty("part", parent: app)
        part.provide(\.text) { scope in
            try elsewhere { try scope.inherited(\.text) } + "+part"
        }
        let request = EnvironmentScope.empty("request", parent: part)
        #expect(request.text == "app+part")
        #expect(part.text == "app+part")
    }

    @Test("What a builder was told of its parent changes when that goes")
    func parentThatGoes() {
        var parent: EnvironmentScope? = .empty("parent", parent: nil)
        let child = EnvironmentScope.empty("child", parent: parent)
        child.provide(\.result) { scope in scope.parent?.name ?? "none" }
        #expect(child.result == "parent")
        parent = nil
        #expect(child.result == "none")
    }

    @Test("The same when another scope becomes the global one")
    func parentThatIsReplaced() async {
        await #expect(processExitsWith: .success) {
            let request = EnvironmentScope.empty("request", parent: .global)
            request.provide(\.result) { scope in scope.parent?.name ?? "none" }
            precondition(request.result == "global")
            EnvironmentScope.global = .empty("other", parent: nil)
            precondition(request.result == "other")
        }
    }
}
