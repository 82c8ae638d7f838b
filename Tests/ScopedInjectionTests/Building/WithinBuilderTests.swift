import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let result = ScopeValue<String>.required()
    fileprivate static let detail = ScopeValue<String>.required()
    fileprivate static let primary = ScopeValue("primary")
    fileprivate static let asker = ScopeValue<EnvironmentScope?>()
    fileprivate static let row = ScopeValue<[EnvironmentScope]>.required()
    fileprivate static let innermost = ScopeValue<EnvironmentScope>.required()
}

@Suite("R2, R4, R6: scopes that a builder within another builder makes", .serialized)
struct WithinBuilderTests {
    private let app, alice, bob: EnvironmentScope

    init() { (app, alice, bob) = makeRequests() }

    /// Provides a value whose builder has other builders make a scope within one that they make, and reads when they are over.
    private func provideInnermost(_ read: @escaping @Sendable (EnvironmentScope) -> String) {
        app.provide(\.result) { scope in
            let outer = EnvironmentScope("outer", parent: scope) { $0.asker = scope }
            outer.provide(\.row) { outer in
                let middle = EnvironmentScope.empty("middle", parent: outer.asker ?? outer)
                middle.provide(\.innermost) { [unowned middle] _ in .empty("inner", parent: middle) }
                return [middle, middle.innermost]
            }
            let row = outer.row
            outer.asker = nil
            return elsewhere { read(row[1]) }
        }
    }

    @Test("What is read there through scopes whose makers are over is an input of the build around them")
    func makersOver() {
        provideInnermost { inner in inner.person ?? "nobody" }
        #expect(alice.result == "alice")
        #expect(bob.result == "bob")
    }

    @Test("So is what is read through a scope that is made there below them")
    func madeBelowMakersOver() {
        provideInnermost { inner in EnvironmentScope.empty("below", parent: inner).person ?? "nobody" }
        #expect(alice.result == "alice")
        #expect(bob.result == "bob")
    }

    @Test(
        "What is read or explained there is an input of a build within that made the scope",
        arguments: [false, true]
    )
    func madeWithin(isExplained: Bool) {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            own.provide(\.detail) { [unowned own] _ in
                let made = EnvironmentScope.empty("made", parent: own)
                return elsewhere { isExplained ? "\(made.explain(\.primary))" : made.primary }
            }
            let before = own.detail
            own.primary = "other"
            return own.detail == before ? "the same" : "another one"
        }
        #expect(alice.result == "another one")
    }

    @Test("The parent of one whose maker is over is no parent of the asking scope", arguments: [false, true])
    func parent(isElsewhere: Bool) {
        let builds = Box(0)
        app.provide(\.result) { scope in
            builds.update { $0 += 1 }
            // Otherwise this would be a hang.
            if builds.value > 100 { return "too many builds" }
            let own = EnvironmentScope.empty("own", parent: scope)
            own.provide(\.innermost) { .empty("inner", parent: $0) }
            let inner = own.innermost
            let name: @Sendable () -> String = { inner.parent?.name ?? "none" }
            return elsewhere(if: isElsewhere, name)
        }
        #expect(alice.result == "own")
        #expect(bob.result == "own")
        #expect(builds.value == 1)
    }

    @Test("A read there that outlasts the build within does not make the one around it run on and on")
    func outlasting() {
        let builds = Box(0)
        app.provide(\.result) { scope in
            builds.update { $0 += 1 }
            // Otherwise this would be a hang.
            if builds.value > 100 { return "too many builds" }
            let own = EnvironmentScope.empty("own", parent: scope)
            let (isUnderway, mayGoOn, answer) = (Gate(), Gate(), Box(""))
            let reader = Box<Gate?>(nil)
            own.provide(\.primary) { _ in
                isUnderway.open()
                mayGoOn.wait()
                return "slow"
            }
            own.provide(\.detail) { [unowned own] _ in
                let made = EnvironmentScope.empty("made", parent: own)
                reader.value = onThread { answer.value = made.primary }
                isUnderway.wait()
                return "started"
            }
            let text = own.detail
            mayGoOn.open()
            reader.value?.wait()
            return text + " " + answer.value
        }
        #expect(app.result == "started slow")
        #expect(builds.value < 100)
    }

    @Test("What is set in one that a builder within made is an input, if its value outlives the build around it")
    func outliving() {
        let asking = Box<EnvironmentScope?>(nil)
        app.provide(\.innermost) { _ in EnvironmentScope("made", parent: asking.value) { $0.primary = "1" } }
        app.provide(\.result) { scope in
            asking.value = scope
            return scope.innermost.primary
        }
        #expect(app.result == "1")
        for text in ["2", "3", "4"] {
            app.innermost.primary = text
            #expect(app.result == text)
        }
    }

    // Steps that grew with the square of the depth for each read would take too long for a suite.
    @Test("A row of 600 scopes that builders made is read and made below")
    func longRow() {
        var row = [EnvironmentScope.empty("first", parent: alice)]
        for _ in 0..<600 {
            let last = row[row.count - 1]
            last.provide(\.innermost) { .empty("next", parent: $0) }
            row.append(last.innermost)
        }
        for scope in row.suffix(50) { #expect(scope.person == "alice") }
        for _ in 0..<50 { #expect(EnvironmentScope.empty("child", parent: row.last).person == "alice") }
    }

    @Test("A thread that reads the value below a captured scope waits for it, and is in no cycle")
    func belowCaptured() {
        let (builds, isUnderway, isOver, answer) = (Box(0), Gate(), Gate(), Box(""))
        app.provide(\.result) { [unowned app] _ in
            builds.update { $0 += 1 }
            let worker = EnvironmentScope.empty("worker", parent: app)
            onThread {
                isUnderway.open()
                answer.value = (try? worker.value(for: \.result)) ?? "no value"
                isOver.open()
            }
            isUnderway.wait()
            return "result"
        }
        #expect(app.result == "result")
        isOver.wait()
        #expect(answer.value == "result")
        #expect(builds.value == 1)
    }

    @Test("A thread that outlasts a build within meets the cycle of the one around it")
    func outlastingCycle() {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            let (isUnderway, mayGoOn, isOver, answer) = (Gate(), Gate(), Gate(), Box(""))
            own.provide(\.primary) { scope in
                isUnderway.open()
                mayGoOn.wait()
                return try scope.value(for: \.result)
            }
            own.provide(\.detail) { [unowned own] _ in
                let made = EnvironmentScope.empty("made", parent: own)
                onThread {
                    let value = Result { try made.value(for: \.primary) }
                    answer.value = (try? value.get()) ?? "an error"
                    isOver.open()
                }
                isUnderway.wait()
                return "started"
            }
            let text = own.detail
            mayGoOn.open()
            isOver.wait()
            return text + " " + answer.value
        }
        #expect(app.result == "started an error")
    }

    @Test("A cycle over another thread that reads through one is an error")
    func cycle() {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            own.provide(\.detail) { [unowned own] _ in
                let made = EnvironmentScope.empty("made", parent: own)
                return elsewhere {
                    do {
                        return try made.value(for: \.detail)
                    } catch {
                        return (error as? ScopeError)?.code == .cycle ? "cycle" : "\(error)"
                    }
                }
            }
            return own.detail
        }
        #expect(app.result == "cycle")
    }
}
