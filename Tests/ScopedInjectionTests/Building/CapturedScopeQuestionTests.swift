import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let number = ScopeValue(1)
    fileprivate static let renamed = ScopeValue(1)
    fileprivate static let failing = ScopeValue(1)
    fileprivate static let answer = ScopeValue<String>.required()
    fileprivate static let sign = ScopeValue(Sign(scopeDescription: "none"))
    fileprivate static let reader = ScopeValue(PortReader())
    fileprivate static let ofPort = ScopeValue { scope in scope.port }
    fileprivate static let outer = ScopeValue { scope in "of \(scope.answer)" }
    /// A value that keeps a child of the scope that it was built for.
    fileprivate static let holder = ScopeValue { scope in EnvironmentScope("made", parent: scope) { $0.port = 1 } }
}

/// A question that a builder can ask a scope that it captured, and a change after which the answer is another one.
private enum Question: String, CaseIterable {
    case isClosed, localValue, localThroughAlias, explain, graph, description, debugDescription, mirror, parent
    case validate

    /// Whether any change makes the value be built again, as those that other tests make meanwhile.
    var isOverview: Bool {
        switch self {
        case .explain, .graph, .debugDescription, .mirror, .validate: true
        case .isClosed, .localValue, .localThroughAlias, .description, .parent: false
        }
    }

    func ask(_ scope: EnvironmentScope) -> String {
        switch self {
        case .isClosed: "\(scope.isClosed)"
        case .localValue: "\(scope.localValue(for: \.number) as Any)"
        case .localThroughAlias: "\(scope.localValue(for: \.renamed) as Any)"
        case .explain: "\(scope.explain(\.number)) \(scope.explain(\.sign))"
        case .graph: "\(scope.graph.nodes.count)"
        case .description: "\(scope)"
        case .debugDescription: scope.debugDescription
        case .mirror: Self.dumped(scope)
        case .parent: scope.parent?.name ?? "none"
        case .validate: Result { try scope.validate() }.isSuccess ? "valid" : "not valid"
        }
    }

    private static func dumped(_ scope: EnvironmentScope) -> String {
        var text = ""
        dump(scope.customMirror.children.map(\.value), to: &text)
        return text
    }

    func change(_ scope: EnvironmentScope, _ other: EnvironmentScope) async {
        switch self {
        case .isClosed: await scope.close()
        case .localValue, .explain, .graph, .debugDescription, .mirror: scope.number = 2
        case .localThroughAlias: scope.alias(\.renamed, to: \.number)
        case .description, .parent: scope.parent = other
        case .validate: scope.provide(\.failing) { _ in throw CancellationError() }
        }
    }
}

private struct Sign: Sendable, ScopeDescribable { let scopeDescription: String }

private final class PortReader: Sendable {
    let port = Injected(\.port)
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

@Suite("R4: what a builder asks another scope is an input")
struct CapturedScopeQuestionTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let asked: EnvironmentScope
    private let other = EnvironmentScope.empty("other", parent: nil)
    private let builds = Box(0)

    init() {
        let top = EnvironmentScope.empty("top", parent: nil)
        asked = EnvironmentScope("asked", parent: top) { $0.port = 1 }
        other.onClose { [top] in _ = top }
    }

    @Test("The value is rebuilt after the answer has changed, and shared until then", arguments: Question.allCases)
    private func changes(_ question: Question) async {
        if question == .localThroughAlias { asked.number = 3 }
        app.provide(\.answer) { [asked, builds] _ in
            builds.value += 1
            return question.ask(asked)
        }
        let request = EnvironmentScope.empty("request", parent: app)
        let first = request.outer
        #expect(first == "of \(question.ask(asked))")
        #expect(EnvironmentScope.empty("second", parent: app).outer == first)
        #expect(builds.value == 1 || question.isOverview)
        await question.change(asked, other)
        #expect(request.outer == "of \(question.ask(asked))")
        #expect(request.outer != first)
        #expect(builds.value == 2 || question.isOverview)
    }

    @Test("The same of a scope that the builder of another value has made", arguments: Question.allCases)
    private func changesOfMadeScope(_ question: Question) async {
        let app = app
        let asked = app.holder
        if question == .localThroughAlias { asked.number = 3 }
        let request = EnvironmentScope("request", parent: nil) { scope in
            scope.provide(\.answer) { _ in question.ask(app.holder) }
        }
        let first = request.outer
        #expect(first == "of \(question.ask(asked))")
        await question.change(asked, other)
        #expect(request.outer == "of \(question.ask(asked))")
        #expect(request.outer != first)
    }

    @Test("A value that the scope keeps later is another answer", arguments: [true, false])
    func keptLater(whileBuilding: Bool) {
        app.provide(\.answer) { [asked, builds] _ in
            builds.value += 1
            let kept = asked.localValue(for: \.ofPort)
            if whileBuilding { onThread { _ = asked.ofPort }.wait() }
            return "\(kept as Any)"
        }
        if !whileBuilding {
            #expect(app.outer == "of nil")
            #expect(asked.ofPort == 1)
        }
        #expect(app.outer == "of Optional(1)")
        #expect(app.outer == "of Optional(1)")
        #expect(builds.value == 2)
    }

    @Test("A value that replaces one that the scope told of is another answer")
    func replaced() {
        app.provide(\.answer) { [asked] _ in "\(asked.localValue(for: \.number) as Any)" }
        asked.number = 2
        #expect(app.outer == "of Optional(2)")
        asked.number = 3
        #expect(app.outer == "of Optional(3)")
    }

    @Test("So it is if the scope only showed it", arguments: [Question.explain, .debugDescription, .mirror])
    private func shownThenReplaced(_ question: Question) {
        app.provide(\.answer) { [asked] scope in question.ask(asked) + question.ask(scope) }
        // A test that runs beside this one may change something, and then any overview is asked for again.
        for number in 0..<50 {
            for scope in question == .explain ? [asked, app] : [asked] {
                for text in ["first", "second"] {
                    let sign = Sign(scopeDescription: "\(scope.name ?? "none") \(number) \(text)")
                    scope.sign = sign
                    #expect(app.answer.contains(sign.scopeDescription))
                }
            }
        }
    }

    @Test("A value that takes the place of one in which a builder bound the references is bound too")
    func boundThenReplaced() {
        for _ in 0..<50 {
            app.provide(\.answer) { [asked] _ in "\(asked.replaceInValues())" }
            asked.reader = PortReader()
            #expect(app.answer == "1")
            let reader = PortReader()
            asked.reader = reader
            #expect(app.answer == "1")
            #expect(reader.port.scope === asked)
        }
    }

    @Test("What it asks a scope that it makes itself is none", arguments: Question.allCases)
    private func ownScope(_ question: Question) {
        app.provide(\.answer) { [builds] _ in
            builds.value += 1
            return question.ask(EnvironmentScope("own", parent: nil) { $0.number = 2 })
        }
        let first = app.answer
        other.number = 3
        app.port = 1
        #expect(app.answer == first)
        #expect(builds.value == 1)
    }

    @Test("A builder that asks for an overview runs once, although scopes change while it runs")
    func overview() {
        app.provide(\.answer) { [unowned app, builds] scope in
            builds.value += 1
            let answer = "\(scope.explain(\.number).source) \(app.explain(\.number).source)"
            onThread { app.host = "changed by another thread" }.wait()
            return answer
        }
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.outer == "of default default")
        #expect(builds.value == 1)
        app.number = 2
        #expect(request.outer == "of set set")
    }

    @Test("What it was told before a change is given to that read, and to no later one")
    func overviewBeforeChange() {
        app.provide(\.answer) { [unowned app, builds] scope in
            builds.value += 1
            let answer = "\(scope.explain(\.number).source)"
            if builds.value == 1 { onThread { app.number = 2 }.wait() }
            return answer
        }
        #expect(app.answer == "default")
        #expect(app.answer == "set")
    }

    @Test("But not if what it reads changes")
    func overviewAndInput() {
        app.provide(\.answer) { [unowned app, builds] scope in
            builds.value += 1
            let number = scope.number
            _ = scope.explain(\.number)
            if number < 3 { onThread { app.number = number + 1 }.wait() }
            return "\(number)"
        }
        #expect(app.outer == "of 3")
        #expect(builds.value == 3)
    }

    @Test("The parent of a builder's scope that a value kept is an input")
    func parentOfKeptScope() {
        final class Holder: Sendable {
            let scope: EnvironmentScope
            init(_ scope: EnvironmentScope) { self.scope = scope }
        }
        let holder = ScopeValue<Holder>(name: "holder") { scope in
            _ = scope.host
            return Holder(scope)
        }
        let value = ScopeValue<String>(name: "value") { scope in scope[holder].scope.parent?.name ?? "none" }
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { $0.host = "request" }
        #expect(request[value] == "app")
        let other = EnvironmentScope.empty("other", parent: nil)
        request.parent = other
        #expect(request[holder].scope.parent === other)
        #expect(request[value] == "other")
    }

    @Test("The names of the searched scopes in an error are an input")
    func namesInErrors() {
        let required = ScopeValue<Int>.required(name: "required")
        let app = EnvironmentScope.empty("app", parent: nil)
        let other = EnvironmentScope.empty("other", parent: app)
        let value = ScopeValue<String>(name: "value") { _ in
            do throws(ScopeError) {
                return "\(try other.value(for: required))"
            } catch {
                return error.searchedScopes.joined()
            }
        }
        #expect(app[value] == #""other""app""#)
        other.parent = nil
        #expect(app[value] == #""other""#)
    }
}
