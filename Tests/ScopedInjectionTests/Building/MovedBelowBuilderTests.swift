import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let answer = ScopeValue<String>.required(name: "answer")
    fileprivate static let ownPart = ScopeValue<EnvironmentScope>.required(name: "ownPart")
}

@Suite("R4, R10: scopes that are put below the scope of a builder")
struct MovedBelowBuilderTests {
    private static func text(_ path: String = "") -> String {
        """
        "shared" cannot get a parent that the builder of answer was given or has made, because that builder did not make \
        "shared": others who read through it would see what one request sees.
          Declared at: ScopedInjectionTests/MovedBelowBuilderTests.swift:5\(path)
          To fix it: make a scope with that parent in the builder, or move this one once the builder has returned.
        """
    }

    @Test("One that the builder has captured: who reads through it would see the request's values")
    func captured() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (app, alice, _) = makeRequests()
            let shared = EnvironmentScope.empty("shared", parent: app)
            app.provide(\.answer) { scope in
                shared.parent = scope
                return elsewhere { shared.person ?? "nobody" }
            }
            _ = alice.answer
        }
        expect(result, saysExactly: Self.text())
    }

    @Test("One that is put below a scope that the builder made, on another thread")
    func belowMade() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (app, alice, _) = makeRequests()
            let shared = EnvironmentScope.empty("shared", parent: nil)
            app.provide(\.answer) { scope in
                let made = EnvironmentScope.empty("made", parent: scope)
                elsewhere { shared.parent = made }
                return shared.person ?? "nobody"
            }
            _ = alice.answer
        }
        expect(result, saysExactly: Self.text())
    }

    @Test("One that a former builder made, and one that a builder around it made")
    func madeByOthers() async {
        let former = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (app, alice, _) = makeRequests()
            app.provide(\.ownPart) { _ in .empty("shared", parent: nil) }
            let shared = app.ownPart
            app.provide(\.answer) { scope in
                shared.parent = scope
                return ""
            }
            _ = alice.answer
        }
        expect(former, saysExactly: Self.text())
        let around = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (app, alice, _) = makeRequests()
            app.provide(\.ownPart) { _ in
                let shared = EnvironmentScope.empty("shared", parent: nil)
                app.provide(\.answer) { scope in
                    shared.parent = scope
                    return ""
                }
                _ = alice.answer
                return shared
            }
            _ = app.ownPart
        }
        expect(around, saysExactly: Self.text("\n  Needed by: ownPart → answer"))
    }

    @Test("One that a builder within has made, which would be forgotten once that one has returned")
    func madeWithin() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (app, alice, _) = makeRequests()
            app.provide(\.answer) { scope in
                let made = EnvironmentScope.empty("made", parent: nil)
                made.provide(\.ownPart) { _ in
                    let shared = EnvironmentScope.empty("shared", parent: nil)
                    shared.parent = scope
                    return shared
                }
                let part = made.ownPart
                return elsewhere { part.person ?? "nobody" }
            }
            _ = alice.answer
        }
        expect(result, saysExactly: Self.text("\n  Needed by: answer → ownPart"))
    }

    @Test("One that is put below the scope of a builder within that has returned")
    func belowFormer() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (app, alice, _) = makeRequests()
            let shared = EnvironmentScope.empty("shared", parent: app)
            app.provide(\.answer) { scope in
                let made = EnvironmentScope.empty("made", parent: scope)
                made.provide(\.ownPart) { $0 }
                shared.parent = made.ownPart
                return shared.person ?? "nobody"
            }
            _ = alice.answer
        }
        expect(result, saysExactly: Self.text())
    }

    @Test("One that the builder itself made, or another thread below its scope", arguments: [false, true])
    func own(isElsewhere: Bool) {
        let (app, alice, bob) = makeRequests()
        app.provide(\.answer) { scope in
            let part = elsewhere(if: isElsewhere) { EnvironmentScope.empty("part", parent: isElsewhere ? scope : nil) }
            part.parent = scope
            return elsewhere { part.person ?? "nobody" }
        }
        #expect(alice.answer == "alice")
        #expect(bob.answer == "bob")
        #expect(app.answer == "nobody")
    }

    @Test("One that another thread's builder made below the scope of this one")
    func madeByOtherThread() {
        let (app, alice, bob) = makeRequests()
        app.provide(\.answer) { scope in
            let part = elsewhere {
                let made = EnvironmentScope.empty("made", parent: nil)
                made.provide(\.ownPart) { _ in
                    let part = EnvironmentScope.empty("part", parent: scope)
                    part.parent = nil
                    part.parent = scope
                    return part
                }
                return made.ownPart
            }
            return elsewhere { part.person ?? "nobody" }
        }
        #expect(alice.answer == "alice")
        #expect(bob.answer == "bob")
    }

    @Test("Any scope, once the builder has returned: it sees what the scope sees that keeps the value")
    func afterwards() {
        let (app, alice, _) = makeRequests()
        app.provide(\.ownPart) { scope in .empty("part", parent: scope) }
        let shared = EnvironmentScope.empty("shared", parent: nil)
        shared.parent = alice.ownPart
        #expect(shared.person == nil)
        app.person = "all"
        #expect(shared.person == "all")
    }
}
