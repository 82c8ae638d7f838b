import Foundation
import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let one = ScopeValue<Int>.required(name: "one")
    fileprivate static let two = ScopeValue<Int>.required(name: "two")
    fileprivate static let three = ScopeValue<Int>.required(name: "three")
    fileprivate static let brief: ScopeValue<Int> = ScopeValue(.transient) { _ in 0 }
    fileprivate static let locator = ScopeValue { scope in Locator(scope) }
}

private enum LevelKey: ScopeKey {
    static let lifetime = ValueLifetime.scoped
    static func makeValue(in scope: EnvironmentScope) throws -> Int {
        try (scope.parent?.value(for: LevelKey.self) ?? 0) + 1
    }
}

private final class Locator: Sendable {
    let scope: EnvironmentScope
    init(_ scope: EnvironmentScope) { self.scope = scope }
}

private typealias Number = any KeyPath<ScopeValues.Type, ScopeValue<Int>> & Sendable

/// The result of a read on a thread of its own, so that a hang is a result too.
private func outcome(_ scope: EnvironmentScope, _ number: Number) -> String {
    let outcome = Box("hangs")
    let isOver = DispatchSemaphore(value: 0)
    DispatchQueue(label: "read").async {
        do throws(ScopeError) {
            let value = try scope.value(for: number)
            outcome.value = "\(value)"
        } catch {
            outcome.value = "\(error.code)"
        }
        isOver.signal()
    }
    _ = isOver.wait(timeout: .now() + hangLimit)
    return outcome.value
}

@Suite("R6: a cycle is an error, by whichever route")
struct CycleRouteTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    /// A route by which a builder gets back to a scope.
    enum Way: CaseIterable {
        case given, captured, entered, bound, childEntered, childOfGiven, reference, parent

        func read(_ app: EnvironmentScope, _ scope: EnvironmentScope, _ bound: () throws -> Int) throws -> Int {
            switch self {
            case .given: try scope.value(for: \.one)
            case .captured: try app.value(for: \.one)
            case .entered: try app { try EnvironmentScope.current.value(for: \.one) }
            case .bound: try bound()
            case .childEntered: try EnvironmentScope.empty(parent: app)() { try app.value(for: \.one) }
            case .childOfGiven: try EnvironmentScope.empty(parent: scope).value(for: \.one)
            case .reference: try app { try EnvironmentScope.current.value(for: \.two) }
            case .parent: try EnvironmentScope.empty(parent: app).parent?.value(for: \.one) ?? 0
            }
        }
    }

    @Test("Back to its own scope", arguments: Way.allCases)
    func back(_ way: Way) {
        let count = Box(0)
        let reference = app.bind { try EnvironmentScope.current.value(for: \.one) }
        app.provide(\.two) { scope in try scope.value(for: \.one) }
        app.provide(\.one) { [unowned app] scope in
            count.value += 1
            return try way.read(app, scope, reference)
        }
        #expect(outcome(app, \.one) == "cycle")
        #expect(count.value <= 2)
        // The builder holds what is bound to the scope.
        app.removeAll()
    }

    @Test("Back to the global scope that it enters")
    func global() async {
        await #expect(processExitsWith: .success) {
            EnvironmentScope.global.provide(\.one) { _ in
                try EnvironmentScope.global { try EnvironmentScope.current.value(for: \.one) }
            }
            precondition(outcome(.global, \.one) == "cycle")
        }
    }

    /// Lets a value of one scope be built from a value of another scope.
    private func link(
        _ number: Number,
        in scope: EnvironmentScope,
        to other: Number,
        in place: EnvironmentScope,
        _ runs: Box<Int>
    ) {
        scope.provide(number) { [unowned place] _ in
            runs.value += 1
            return try place.value(for: other) + 1
        }
    }

    @Test("Across two and three trees, and across parent and child", arguments: 0..<5)
    func acrossScopes(_ arrangement: Int) {
        let runs = Box(0)
        let scopes = (0..<3).map { EnvironmentScope.empty("\($0)", parent: arrangement > 2 ? app : nil) }
        switch arrangement {
        case 0:
            link(\.one, in: scopes[0], to: \.two, in: scopes[1], runs)
            link(\.two, in: scopes[1], to: \.one, in: scopes[0], runs)
        case 1:
            link(\.one, in: scopes[0], to: \.two, in: scopes[1], runs)
            link(\.two, in: scopes[1], to: \.three, in: scopes[2], runs)
            link(\.three, in: scopes[2], to: \.one, in: scopes[0], runs)
        case 2:
            link(\.one, in: scopes[0], to: \.brief, in: scopes[1], runs)
            link(\.brief, in: scopes[1], to: \.one, in: scopes[0], runs)
        case 3:
            link(\.one, in: scopes[0], to: \.two, in: app, runs)
            link(\.two, in: app, to: \.one, in: scopes[0], runs)
        default:
            link(\.one, in: app, to: \.two, in: scopes[0], runs)
            link(\.two, in: scopes[0], to: \.one, in: scopes[0], runs)
        }
        #expect(outcome(scopes[0], \.one) == "cycle")
        #expect((1...6).contains(runs.value))
        runs.value = 0
        // A value further on ends it.
        scopes[0].one = 1
        #expect(outcome(scopes[0], \.one) == "1")
        #expect(runs.value == 0)
    }

    @Test("Through a scope that another value kept, from either end")
    func keptScope() {
        for first in [\.one, \.two] as [Number] {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(\.one) { scope in try scope.locator.scope.value(for: \.two) + 1 }
            app.provide(\.two) { scope in try scope.value(for: \.one) + 1 }
            #expect(outcome(app, first) == "cycle")
            app.two = 1
            #expect(outcome(app, \.one) == "2")
        }
    }

    @Test("Across two threads, whether or not the builders enter the scope", arguments: [true, false], 0..<20)
    func acrossThreads(isEntering: Bool, round: Int) async {
        let app = app
        let meeting = Meeting()
        @Sendable func read(_ number: Number, _ scope: EnvironmentScope) throws -> Int {
            // Both have begun before either goes on, the first time; unless one waits for the other from its start.
            meeting.meet()
            return isEntering ? try app { try app.value(for: number) } : try scope.value(for: number)
        }
        app.provide(\.one) { scope in try read(\.two, scope) }
        app.provide(\.two) { scope in try read(\.one, scope) }
        let outcomes = Box<[String]>([])
        await onThreads(2) { index in
            let result = outcome(app, index == 0 ? \.one : \.two)
            outcomes.update { $0.append(result) }
        }
        #expect(outcomes.value == ["cycle", "cycle"])
        app.removeAll()
    }

    @Test("A scoped value that reads itself further out is no cycle", arguments: [60, 66, 200], [true, false])
    func itselfFurtherOut(count: Int, isInnerFirst: Bool) throws {
        var scopes = [app]
        for number in 1..<count { scopes.append(.empty("\(number)", parent: scopes[number - 1])) }
        if isInnerFirst { #expect(try scopes[count - 1].value(for: LevelKey.self) == count) }
        for (number, scope) in scopes.enumerated() { try #require(try scope.value(for: LevelKey.self) == number + 1) }
    }

    @Test("A builder that reads its own value below a scope that it made, where an input differs, is in no cycle")
    func belowOverride() {
        app.provide(\.one) { scope in
            let two = try scope.value(for: \.two)
            if two == 0 { return 0 }
            let made = EnvironmentScope("made", parent: scope) { $0.two = two - 1 }
            return try EnvironmentScope.empty(parent: made).value(for: \.one) + 1
        }
        app.two = 3
        #expect(outcome(app, \.one) == "3")
    }

    @Test("A read on a thread that no builder waits for is no cycle", arguments: 0..<20)
    func thread(round: Int) {
        let app = app
        let builds = Box(0)
        let isOver = Box<Gate?>(nil)
        app.provide(\.one) { scope in
            builds.update { $0 += 1 }
            let hasBegun = Gate()
            isOver.value = onThread {
                hasBegun.open()
                // Whether the builder waits for it cannot be known, so an error is allowed.
                _ = try? scope.value(for: \.one)
            }
            if round % 2 == 0 { hasBegun.wait() }
            return 7
        }
        #expect(app.one == 7)
        isOver.value?.wait()
        #expect(app.one == 7)
        #expect(builds.value == 1)
    }

    @Test("A read that a builder has left behind is no part of what needed that builder", arguments: [false, true])
    func leftBehind(swallowsErrors: Bool) {
        let (hasBegun, mayGoOn) = (Gate(), Gate())
        let isOver = Box<Gate?>(nil)
        let (runs, result) = (Box(0), Box(0))
        app.provide(\.two) { scope in
            hasBegun.open()
            mayGoOn.wait()
            guard swallowsErrors else { return try scope.value(for: \.brief) }
            return (try? scope.value(for: \.brief)) ?? 0
        }
        app.provide(\.one) { scope in
            isOver.value = onThread { result.value = (try? scope.value(for: \.two)) ?? 0 }
            hasBegun.wait()
            return 1
        }
        app.provide(\.brief) { scope in
            let one = try scope.value(for: \.one)
            let isFirst = runs.update {
                $0 += 1; return $0 == 1
            }
            if isFirst {
                mayGoOn.open()
                isOver.value?.wait()
            }
            return one + 1
        }
        #expect(app.brief == 2)
        #expect(result.value == 2)
    }

    @Test("Nor is it a part of the builder, if the value has to be built again")
    func leftBehindAndBuiltAgain() {
        let (hasBegun, mayGoOn) = (Gate(), Gate())
        let isOver = Box<Gate?>(nil)
        let result = Box(0)
        app.provide(\.two) { scope in
            hasBegun.open()
            mayGoOn.wait()
            return (try? scope.value(for: \.one)) ?? 0
        }
        app.provide(\.one) { scope in
            if isOver.value == nil {
                isOver.value = onThread { result.value = (try? scope.value(for: \.two)) ?? 0 }
                hasBegun.wait()
            }
            return scope.three
        }
        app.three = 3
        #expect(app.one == 3)
        app.three = 4
        mayGoOn.open()
        isOver.value?.wait()
        #expect(result.value == 4)
    }
}
