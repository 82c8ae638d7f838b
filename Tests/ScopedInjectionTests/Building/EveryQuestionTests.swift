import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let answer = ScopeValue<String>.required()
    fileprivate static let absent = ScopeValue<String>.required()
    fileprivate static let detail = ScopeValue<String>.required()
    fileprivate static let portion = ScopeValue<String>.required()
    fileprivate static let lent = ScopeValue<EnvironmentScope>.required()
    fileprivate static let primary = ScopeValue("primary")
    fileprivate static let mark = ScopeValue("mark")
}

/// What a builder can ask a scope.
private enum Question: CaseIterable {
    case read, inherited, child, grandchild, current, entered, explained, graph, described, debugDescribed, mirrored
    case parent, error, local, closed, validated

    func ask(_ scope: EnvironmentScope) -> String {
        switch self {
        case .read: scope.person ?? "nobody"
        case .inherited: (try? scope.inherited(\.person)).flatMap { $0 } ?? "nobody"
        case .child: EnvironmentScope.empty("child", parent: scope).person ?? "nobody"
        case .grandchild:
            withExtendedLifetime(EnvironmentScope.empty("child", parent: scope)) {
                EnvironmentScope.empty("grandchild", parent: $0).person ?? "nobody"
            }
        case .current: scope { EnvironmentScope.empty("child").person ?? "nobody" }
        case .entered: scope { EnvironmentScope.current.person ?? "nobody" }
        case .explained: "\(scope.explain(\.person)) \(scope.explain(\.person).scope ?? "none")"
        case .graph: scope.graph.mermaid
        case .described: "\(scope)"
        case .debugDescribed: scope.debugDescription
        case .mirrored: "\(scope.customMirror.children.map { "\($0.value)" })"
        case .parent: scope.parent?.name ?? "none"
        case .error: "\(Result { try scope.value(for: \.absent) })"
        case .local: scope.localValue(for: \.person).flatMap { $0 } ?? "nobody"
        case .closed: "\(scope.isClosed)"
        case .validated: "\(Result { try scope.validate(\.absent) })"
        }
    }
}

@Suite("R4: whatever a builder asks any scope that it can have, nobody is told of a request that is not his")
struct EveryQuestionTests {
    /// Expects the same answers in both orders, none of which names a request that did not ask.
    ///
    /// - Parameter question: A graph also tells what is kept by now, so its answers depend on who has asked before.
    private func check(_ question: Question? = nil, _ build: @escaping @Sendable (EnvironmentScope) -> String) {
        var former: [String]?
        for isReversed in [false, true] {
            let (app, alice, bob) = makeRequests()
            app.provide(\.answer, build)
            let asking = [alice, bob, app]
            let answers =
                isReversed ? Array(asking.reversed().map(\.answer).reversed()) : asking.map { $0.answer }
            #expect(!answers[0].contains("bob"))
            #expect(!answers[1].contains("alice"))
            #expect(!answers[2].contains("alice") && !answers[2].contains("bob"))
            if question != .graph { #expect(former == nil || former == answers) }
            former = answers
        }
    }

    @Test("Its own scope, and those made below it", arguments: Question.allCases, 0..<5)
    private func own(_ question: Question, kind: Int) {
        check(question) { scope in
            let made = EnvironmentScope.empty("made", parent: scope)
            made.provide(\.lent) { .empty("inner", parent: $0) }
            let inner = made.lent
            let below = elsewhere { EnvironmentScope.empty("below", parent: inner) }
            return withExtendedLifetime((made, inner, below)) {
                elsewhere { question.ask([scope, made, inner, below, inner.parent ?? inner][kind]) }
            }
        }
    }

    @Test("The scope of a builder within that has returned", arguments: Question.allCases, [false, true])
    private func former(_ question: Question, isElsewhere: Bool) {
        check(question) { scope in
            let made = EnvironmentScope.empty("made", parent: scope)
            made.provide(\.lent) { $0 }
            let lent = made.lent
            return withExtendedLifetime(made) { elsewhere(if: isElsewhere) { question.ask(lent) } }
        }
    }

    @Test("The scope of a builder within that has thrown", arguments: Question.allCases, [false, true])
    private func failed(_ question: Question, isElsewhere: Bool) {
        check(question) { scope in
            let made = EnvironmentScope.empty("made", parent: scope)
            let found = Box<EnvironmentScope?>(nil)
            made.provide(\.portion) { inner in
                found.value = inner
                throw Failed()
            }
            _ = try? made.value(for: \.portion)
            let inner = found.value ?? scope
            found.value = nil
            return withExtendedLifetime(made) { elsewhere(if: isElsewhere) { question.ask(inner) } }
        }
    }

    @Test("The scopes of builders within builders, each on a thread of its own", arguments: Question.allCases, 0..<6)
    private func threeThreads(_ question: Question, kind: Int) {
        check(question) { (first: EnvironmentScope) -> String in
            let one = EnvironmentScope.empty("one", parent: first)
            one.provide(\.detail) { [unowned one] (second: EnvironmentScope) -> String in
                let two = EnvironmentScope.empty("two", parent: second)
                two.provide(\.portion) { [unowned two] (third: EnvironmentScope) -> String in
                    let three = EnvironmentScope.empty("three", parent: third)
                    let all = [first, one, second, two, third, three]
                    return elsewhere { question.ask(all[kind]) }
                }
                return elsewhere { two.portion }
            }
            return elsewhere { one.detail }
        }
    }

    @Test("An explanation in the scope of a builder within that still runs on another thread")
    func runningElsewhere() {
        let (mayEnd, isOver) = (Box<[Gate]>([]), Box<[Gate]>([]))
        check { scope in
            let made = EnvironmentScope.empty("made", parent: scope)
            let (isThere, gate) = (Gate(), Gate())
            let found = Box<EnvironmentScope?>(nil)
            made.provide(\.portion) { inner in
                found.value = inner
                isThere.open()
                gate.wait()
                return ""
            }
            let end = onThread { [made] in _ = made.portion }
            isThere.wait()
            mayEnd.update { $0.append(gate) }
            isOver.update { $0.append(end) }
            let inner = found.value ?? scope
            found.value = nil
            return "\(inner.explain(\.person))"
        }
        for gate in mayEnd.value { gate.open() }
        for gate in isOver.value { gate.wait() }
    }

    @Test("An alias of the request, which a set below the scope of a builder within follows")
    func alias() {
        let (app, alice, bob) = makeRequests()
        alice.alias(\.mark, to: \.primary)
        app.provide(\.answer) { scope in
            let made = EnvironmentScope.empty("made", parent: scope)
            made.provide(\.lent) { $0 }
            let lent = made.lent
            return withExtendedLifetime(made) {
                elsewhere {
                    let child = EnvironmentScope.empty("child", parent: lent)
                    child.mark = "1"
                    return child.primary
                }
            }
        }
        #expect(alice.answer == "1")
        #expect(bob.answer == "primary")
        #expect(app.answer == "primary")
    }
}

private struct Failed: Error {}
