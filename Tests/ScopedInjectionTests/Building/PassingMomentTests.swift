import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let first = ScopeValue("first")
    fileprivate static let second = ScopeValue("second")
    fileprivate static let during = ScopeValue<(@Sendable () -> Void)?>()
    fileprivate static let inner = ScopeValue { "inner by default of \($0.first)" }
    fileprivate static let middle = ScopeValue { scope in
        let inner = scope.inner
        let second = scope.second
        scope.during?()
        return "\(inner), \(second)"
    }
    fileprivate static let outer = ScopeValue { scope in
        let child = EnvironmentScope("child", parent: scope) { $0.first = "child" }
        return "outer of \(child.middle)"
    }
    fileprivate static let common = ScopeValue { _ in "common" }
    fileprivate static let fallback = ScopeValue { scope in
        let first = scope.first
        let common = (try? scope.value(for: \.common)) ?? "refused"
        scope.during?()
        return "\(first), \(common)"
    }
    fileprivate static let absent = ScopeValue<String>.required()
    fileprivate static let broken = ScopeValue<String> { scope in
        scope.during?()
        throw Broken()
    }
    fileprivate static let keeping = ScopeValue<[EnvironmentScope]>([])
    fileprivate static let asked = ScopeValue("")
}

private struct Broken: Error {}

@Suite("R2: what changes at a moment that a build does not see twice")
struct PassingMomentTests {
    @Test("Who decides on a value in a builder's child is an input, also if the value between them was built twice")
    func hiddenDecision() {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.during = once { onThread { app.second = "changed" }.wait() }
        #expect(app.outer == "outer of inner by default of child, changed")
        app.provide(\.inner) { "provided with \($0.first)" }
        #expect(app.outer == "outer of provided with child, changed")
    }

    @Test("So it is for a scope further in, which reads the value before anything else")
    func hiddenDecisionFurtherIn() {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.during = once { onThread { app.second = "changed" }.wait() }
        #expect(app.outer == "outer of inner by default of child, changed")
        let request = EnvironmentScope("request", parent: app) { $0.provide(\.inner) { "provided with \($0.first)" } }
        #expect(request.outer == "outer of provided with child, changed")
        #expect(app.outer == "outer of inner by default of child, changed")
    }

    @Test("So it is for an inherited value that is kept further out than the scope that it skips")
    func hiddenInheritance() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let runs = Box(0)
        app.provide(\.outer) { scope in
            runs.update { $0 += 1 }
            let outer = EnvironmentScope("outer child", parent: scope) {
                $0.first = "child"
                $0.provide(\.inner) { "provided with \($0.first)" }
            }
            let inner = EnvironmentScope("inner child", parent: outer) {
                $0.provide(\.inner) { try $0.inherited(\.inner) + "!" }
            }
            return outer.inner + ", " + inner.inner
        }
        #expect(try app.value(for: \.outer) == "provided with child, provided with child!")
        #expect(runs.value == 1)
    }

    @Test("So it is for a value that is inherited through a scope that another value keeps")
    func hiddenOwnDecision() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let runs = Box(0)
        app.provide(\.keeping) { scope in
            let outer = EnvironmentScope("outer child", parent: scope) { $0.first = "child" }
            return [outer, EnvironmentScope("inner child", parent: outer) { $0.inner = "own" }]
        }
        app.provide(\.asked) { scope in
            runs.update { $0 += 1 }
            return (try? scope.keeping.last?.inherited(\.inner)) ?? "nothing"
        }
        #expect((try? app.keeping.last?.inherited(\.inner)) == "inner by default of child")
        for turn in 0..<5 {
            #expect(app.asked == "inner by default of child")
            app.second = "turn \(turn)"
        }
        #expect(runs.value == 1)
    }

    // In a process of its own, because each change of another test makes such a value be built again.
    @Test("A value that inherits for a build around it does not run on and on once another builder is provided there")
    func inheritedForReplaced() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope.empty("app", parent: nil)
            let (view, runs) = (Box<EnvironmentScope?>(nil), Box(0))
            app.provide(\.middle) { _ in
                runs.update { $0 += 1 }
                return (try? view.value?.inherited(\.asked)) ?? "nothing"
            }
            let replace = once { [app] in onThread { app.provide(\.asked) { _ in "replaced" } }.wait() }
            app.provide(\.asked) { scope in
                view.value = scope
                replace()
                return scope.middle
            }
            #expect(app.asked == "replaced")
            view.value = nil
            #expect(runs.value < 3)
        }
    }

    // In a process of its own, because each move of a scope makes such a value be built again.
    @Test("What a closed scope refused is not missing after a scope has moved that nobody else knows")
    func refusedBeforeMove() async {
        await #expect(processExitsWith: .success) {
            let closed = EnvironmentScope.empty("closed", parent: nil)
            await closed.close()
            let open = EnvironmentScope.empty("open", parent: nil)
            let request = EnvironmentScope("request", parent: closed) { $0.first = "mine" }
            request.during = once { onThread { request.parent = open }.wait() }
            #expect(request.fallback == "mine, common")
            #expect(request.fallback == "mine, common")
        }
    }

    @Test(
        "A parent that a builder asks another scope for, and its names in errors and descriptions, are those of one moment"
    )
    func flippingParent() async {
        let kept = await keptWhileParentFlips { scope in
            let token = Result { try scope.value(for: \.absent) }
            let searched = token.failure?.searchedScopes.joined(separator: " ") ?? ""
            return [scope.parent?.name ?? "none", searched, scope.description].joined(separator: "; ")
        }
        for text in kept {
            #expect(text == "first parent; \"scope\" \"first parent\"; EnvironmentScope(\"scope\" → \"first parent\")")
        }
    }

    /// What values that were built while another thread gave a scope one parent and then the other again have read of it,
    /// when it has come to rest.
    private func keptWhileParentFlips(_ read: @escaping @Sendable (EnvironmentScope) -> String) async -> [String] {
        let first = EnvironmentScope.empty("first parent", parent: nil)
        let second = EnvironmentScope.empty("second parent", parent: nil)
        let scope = EnvironmentScope.empty("scope", parent: first)
        let isOver = Box(false)
        let roots = (0..<400).map { _ in
            let root = EnvironmentScope.empty("root", parent: nil)
            root.provide(\.asked) { _ in read(scope) }
            return root
        }
        await onThreads(2) { thread in
            if thread == 0 {
                for root in roots { _ = root.asked }
                isOver.value = true
            } else {
                while !isOver.value {
                    scope.parent = second
                    scope.parent = first
                }
            }
        }
        return roots.map(\.asked)
    }

    #if DEBUG
        @Test("An error that a builder catches names the scopes of the moment that is recorded")
        func namesOfMoment() {
            let second = EnvironmentScope.empty("second parent", parent: nil)
            let scope = EnvironmentScope.empty("scope", parent: nil)
            let root = EnvironmentScope.empty("root", parent: nil)
            root.provide(\.asked) { _ in
                let token = Result { try scope.value(for: \.absent) }
                return token.failure?.searchedScopes.joined(separator: " ") ?? ""
            }
            let move = once { onThread { scope.parent = second }.wait() }
            Pause.$beforeRecording.withValue(move) { #expect(root.asked == "\"scope\" \"second parent\"") }
            scope.parent = nil
            #expect(root.asked == "\"scope\"")
        }

        @Test(
            "An error that a builder got on another thread names the scopes that were searched, for those who wait, too"
        )
        func searchedByOthers() {
            let app = EnvironmentScope.empty("app", parent: nil)
            let other = EnvironmentScope.empty("other", parent: nil)
            let (isBuilding, isAwaited) = (Gate(), Gate())
            app.provide(\.asked) { _ in
                isBuilding.open()
                isAwaited.wait()
                let error = Box<ScopeError?>(nil)
                onThread { error.value = Result { try other.value(for: \.absent) }.failure }.wait()
                if let error = error.value { throw error }
                return ""
            }
            let alice = EnvironmentScope.empty("request of alice", parent: app)
            let bob = EnvironmentScope.empty("request of bob", parent: app)
            let end = onThread { _ = try? alice.value(for: \.asked) }
            isBuilding.wait()
            let thrown = Pause.$beforeWaiting.withValue({ isAwaited.open() }) {
                Result { try bob.value(for: \.asked) }.failure
            }
            end.wait()
            #expect(thrown?.searchedScopes == ["\"other\""])
        }

        @Test("A waiting request is not told the names of another one's scopes, though that one moves meanwhile")
        func namesOfMoved() {
            let app = EnvironmentScope.empty("app", parent: nil)
            let other = EnvironmentScope.empty("other", parent: nil)
            let (isBuilding, isAwaited) = (Gate(), Gate())
            app.during = {
                isBuilding.open()
                isAwaited.wait()
            }
            let alice = EnvironmentScope.empty("request of alice", parent: app)
            let bob = EnvironmentScope.empty("request of bob", parent: app)
            let end = onThread {
                Pause.$afterFailing.withValue({ alice.parent = other }) { _ = try? alice.value(for: \.broken) }
            }
            isBuilding.wait()
            let text = Pause.$beforeWaiting.withValue({ isAwaited.open() }) {
                do { return try bob.value(for: \.broken) } catch { return "\(error)" }
            }
            end.wait()
            #expect(text.contains("Searched: \"request of bob\" → \"app\""))
            #expect(!text.contains("alice"))
        }
    #endif
}

extension Result {
    fileprivate var failure: ScopeError? { if case .failure(let error) = self { error as? ScopeError } else { nil } }
}
