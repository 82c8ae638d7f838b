import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let text = ScopeValue("text")
    fileprivate static let result = ScopeValue<String>.required()
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
}
