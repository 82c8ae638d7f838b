import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let visitor = ScopeValue<String?>()
    fileprivate static let number = ScopeValue(1)
    fileprivate static let next = ScopeValue { scope in scope.number + 1 }
    fileprivate static let answer = ScopeValue<String>.required()
}

/// A question that a builder can ask the scope it is given.
private enum Question: String, CaseIterable {
    case value, localValue, localKept, isClosed, description, debugDescription, mirror, name, interpolation
    case parent, explain, parentOfChild

    /// Whether the answer is the same for every asker, so that all askers share the value.
    var isSameForAll: Bool {
        switch self {
        case .value, .parent, .explain, .parentOfChild: false
        case .localValue, .localKept, .isClosed, .description, .debugDescription, .mirror, .name, .interpolation: true
        }
    }

    func ask(_ scope: EnvironmentScope) throws -> String {
        switch self {
        case .value: try scope.value(for: \.visitor) ?? "nobody"
        case .localValue: "\(scope.localValue(for: \.visitor) as Any)"
        case .localKept: "\(scope.localValue(for: \.next) as Any)"
        case .isClosed: "\(scope.isClosed)"
        case .description: scope.description
        case .debugDescription: scope.debugDescription
        case .mirror: "\(Mirror(reflecting: scope).children.map { "\($0)" })"
        case .name: scope.name ?? "no name"
        case .interpolation: "\(scope) \(String(reflecting: scope))"
        case .parent: scope.parent?.name ?? "no parent"
        case .explain: scope.explain(\.visitor).scope ?? "no scope"
        case .parentOfChild: EnvironmentScope.empty("child", parent: scope).parent?.parent?.name ?? "no parent"
        }
    }
}

@Suite("R4: whatever a builder asks its scope, no asker's answer reaches another asker")
struct BuilderQuestionTests {
    /// A tree with readers that differ in every possible answer.
    private struct Tree {
        let app: EnvironmentScope
        let readers: [EnvironmentScope]

        init(_ question: Question) async {
            let app = EnvironmentScope.empty("app", parent: nil)
            let ada = EnvironmentScope("ada", parent: app) { $0.visitor = "Ada" }
            let bob = EnvironmentScope("bob", parent: app) { $0.visitor = "Bob" }
            let done = EnvironmentScope.empty("done", parent: app)
            let part = EnvironmentScope("part", parent: bob) { $0.number = 5 }
            _ = part.next
            await done.close()
            self.app = app
            app.provide(\.answer) { scope in try question.ask(scope) }
            readers = [ada, bob, app, part, done]
        }

        func read(_ reader: Int) -> String {
            do throws(ScopeError) { return try readers[reader].value(for: \.answer) } catch { return "\(error.code)" }
        }
    }

    @Test("Each reader gets the value that it would get alone, in every order", arguments: Question.allCases)
    private func orders(_ question: Question) async {
        var alone: [String] = []
        for reader in 0..<5 { alone.append(await Tree(question).read(reader)) }
        for order in [[0, 1, 2, 3, 4], [2, 1, 0, 3, 4], [4, 3, 2, 1, 0], [1, 4, 2, 0, 3], [3, 0, 4, 1, 2]] {
            let tree = await Tree(question)
            for reader in order + order {
                // A closed scope gets the value that another scope built, if all may share it.
                if reader == 4, !question.isSameForAll, alone[4] == "closed" { continue }
                #expect(tree.read(reader) == alone[reader], "reader \(reader) of \(order)")
            }
        }
    }

    @Test("A value with one answer for all is shared; any other belongs to the asker", arguments: Question.allCases)
    private func sharing(_ question: Question) async {
        let tree = await Tree(question)
        let answers = (0..<3).map { tree.read($0) }
        if question.isSameForAll {
            #expect(Set(answers).count == 1)
            #expect(tree.app.localValue(for: \.answer) == answers[0])
            #expect(tree.readers[0].localValue(for: \.answer) == nil)
        } else if question != .explain {
            // What was explained is asked anew after each change, also after one that another test makes meanwhile.
            #expect(tree.readers[0].localValue(for: \.answer) == answers[0])
        }
    }

    @Test("A value follows a new parent, and a scope that is closed later")
    func following() async {
        let tree = await Tree(.parent)
        let other = EnvironmentScope.empty("other", parent: tree.app)
        #expect(tree.read(0) == "app")
        tree.readers[0].parent = other
        #expect(tree.read(0) == "other")
        let explained = await Tree(.explain)
        #expect(explained.read(0) == "ada")
        explained.readers[0].removeValue(for: \.visitor)
        #expect(explained.read(0) != "ada")
    }

    @Test("The graph that a builder asks for is the asker's own, each time")
    func graph() {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.answer) { scope in scope.graph.scopes.joined(separator: " ") }
        let ada = EnvironmentScope("ada", parent: app) { $0.visitor = "Ada" }
        let bob = EnvironmentScope("bob", parent: app) { $0.visitor = "Bob" }
        for _ in 0..<2 {
            #expect(ada.answer.contains("ada"))
            #expect(!ada.answer.contains("bob"))
            #expect(bob.answer.contains("bob"))
            #expect(!app.answer.contains("ada"))
        }
    }

    // MARK: Scopes that builders make and move

    @Test("A scope that a builder makes and moves later reads like one made there")
    func movedScope() {
        let app = EnvironmentScope.empty("app", parent: nil)
        for isLater in [true, false] {
            let runs = Box(0)
            app.provide(\.answer) { scope in
                runs.value += 1
                let own = EnvironmentScope.empty("own", parent: isLater ? nil : scope)
                if isLater { own.parent = scope }
                own.number = 7
                return "\(try own.value(for: \.next))"
            }
            #expect(app.answer == "8")
            #expect(app.answer == "8")
            #expect(app.localValue(for: \.answer) == "8")
            #expect(runs.value == 1)
        }
    }

    @Test("A builder that replaces the global scope, or changes it, is run once or twice", arguments: [true, false])
    func changingGlobal(isReplacing: Bool) async {
        await #expect(processExitsWith: .success) { [isReplacing] in
            let runs = Box(0)
            let app = EnvironmentScope.empty("app")
            app.provide(\.answer) { scope in
                runs.value += 1
                let number = scope.number
                if isReplacing {
                    EnvironmentScope.global = EnvironmentScope("new", parent: nil) { $0.number = number }
                } else {
                    EnvironmentScope.global.number = number
                }
                return "\(number)"
            }
            precondition(app.answer == "1")
            precondition(runs.value <= 2)
        }
    }

    @Test("The global scope may be used in a builder before anything else has used it")
    func firstUseOfGlobal() async {
        await #expect(processExitsWith: .success) {
            let test = EnvironmentScope.empty("test", parent: nil)
            test.provide(\.answer) { _ in "\(EnvironmentScope.global.number)" }
            precondition(test.answer == "1")
        }
    }
}
