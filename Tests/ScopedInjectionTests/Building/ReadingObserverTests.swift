import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let text = ScopeValue("text")
    fileprivate static let result = ScopeValue<String>.required()
    fileprivate static let level = ScopeValue(1)
    fileprivate static let piece = ScopeValue(name: "piece") { scope in Product("piece of \(scope.level)") }
    fileprivate static let whole = ScopeValue { scope in Product("whole of " + scope.piece.text) }
    fileprivate static let noisy = ScopeValue { scope in Farewell(of: scope.level) }
    fileprivate static let count = ScopeValue(0)
}

/// Sets a value in a scope of its own when it goes.
private final class Farewell: Sendable {
    let scope = EnvironmentScope.empty("farewell", parent: nil)
    let level: Int
    init(of level: Int) { self.level = level }
    deinit { scope.count = 1 }
}

@Suite("R5: observers that use what they are told of")
struct ReadingObserverTests {
    @Test("An observer that reads again what failed is no cycle and does not wait for itself")
    func readsAgain() {
        struct Failure: Error {}
        let app = EnvironmentScope.empty("app", parent: nil)
        let (runs, seen) = (Box(0), Box<String?>(nil))
        app.provide(\.result) { _ in
            if runs.update({
                $0 += 1; return $0
            }) == 1 {
                throw Failure()
            }
            return "given"
        }
        app.observe { [unowned app] event in
            if event.kind == .failed { seen.value = try? app.value(for: \.result) }
        }
        onThread { #expect(throws: ScopeError.self) { try app.value(for: \.result) } }.wait()
        #expect(seen.value == "given")
    }

    @Test("A read that begins after a missing value was set is not given the error of a build from before")
    func errorFromBefore() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let (inside, mayGoOn) = (Gate(), Gate())
        let runs = Box(0)
        app.provide(\.text) { scope in
            if runs.update({
                $0 += 1; return $0
            }) == 1 {
                let result = Result { try scope.value(for: \.result) }
                inside.open()
                mayGoOn.wait()
                return try result.get()
            }
            return try scope.value(for: \.result)
        }
        let reading = onThread { _ = try? app.value(for: \.text) }
        inside.wait()
        app.result = "set"
        let seen = Box<String?>(nil)
        let second = onThread { seen.value = try? app.value(for: \.text) }
        mayGoOn.open()
        reading.wait()
        second.wait()
        #expect(seen.value == "set")
    }

    @Test("A value that is read directly and by a decorator at once is built once")
    func directAndInherited() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        let meeting = Meeting()
        let builds = Box(0)
        app.provide(\.result) { _ in
            builds.update { $0 += 1 }
            meeting.meet()
            return "built"
        }
        request.provide(\.result) { scope in try scope.inherited(\.result) }
        await onThreads(2) { index in #expect((index == 0 ? app : request).result == "built") }
        #expect(builds.value == 1)
    }

    // MARK: What observers and deinits do is not the builder's

    @Test("A set on another thread wins, also if an observer or a deinit changes a scope", arguments: [true, false])
    func setMeanwhile(isObserver: Bool) {
        let app = EnvironmentScope.empty("app", parent: nil)
        let log = EnvironmentScope.empty("log", parent: nil)
        let runs = Box(0)
        app.provide(\.text) { scope in
            let level = scope.level
            _ = isObserver ? scope.piece.text.count : scope.noisy.level
            let isFirst = runs.update {
                $0 += 1; return $0 == 1
            }
            if isFirst { onThread { app.level = 9 }.wait() }
            return "\(level)"
        }
        if isObserver {
            app.observe { event in log.text = event.description }
        } else {
            // What is kept is out of date when the builder reads, so it goes then.
            #expect(app.noisy.level == 1)
        }
        app.level = 2
        #expect(app.text == "9")
        #expect(runs.value == 2)
        app.removeAll()
    }

    /// What an observer does with the current scope.
    enum Use: CaseIterable {
        case nothing, read, readOfBuilder, parent, explain, graph, validate, parentOfChild, explainBelow, task, bound,
            childTask
    }

    @Test("What an observer asks of a scope is no input, nor what its tasks read", arguments: Use.allCases)
    func currentScope(use: Use) {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { $0.count = 1 }
        let builders = Box<EnvironmentScope?>(nil)
        app.provide(\.whole) { scope in
            builders.value = scope
            return Product("whole of " + scope.piece.text)
        }
        app.observe { event in
            guard event.key == "piece" else { return }
            let current = EnvironmentScope.current
            switch use {
            case .nothing: break
            case .read: _ = current.count
            case .readOfBuilder: _ = builders.value?.count
            case .parent: _ = current.parent?.name
            case .explain: _ = current.explain(\.count).description
            case .graph: _ = current.graph
            case .validate: try? current.validate()
            case .parentOfChild: _ = EnvironmentScope.empty("below").parent?.name
            case .explainBelow: _ = EnvironmentScope.empty("below").explain(\.count).description
            case .task:
                let isOver = Gate()
                Task {
                    _ = EnvironmentScope.current.count
                    isOver.open()
                }
                isOver.wait()
            case .bound: onThread(current.bind { _ = EnvironmentScope.current.count }).wait()
            case .childTask:
                let below = EnvironmentScope.empty("below")
                onThread { _ = below.count }.wait()
            }
        }
        onThread { _ = request.whole }.wait()
        #expect(request.whole === app.whole)
        #expect(request.explain(\.whole).keptIn == "app")
        builders.value = nil
    }
}
