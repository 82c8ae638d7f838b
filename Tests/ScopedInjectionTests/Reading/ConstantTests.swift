import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var limit: ScopeValue<Int> { .value(10) }
    fileprivate static var report: ScopeValue<String> { .lazy { "at most \(try $0.limit)" } }
}

@Suite("A constant that nobody set is given without a build", .programRoots)
struct ConstantTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("No scope keeps it, and no observer is told") func notKept() {
        let events = Log()
        app.observe { events.add("\($0)") }
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.limit == 10 && request.user == nil)
        #expect(app.localValue(for: \.limit) == nil)
        #expect(request.localValue(for: \.limit) == nil)
        #expect(app.localValue(for: \.user) == nil && app.graph.nodes.isEmpty)
        #expect(events.lines.isEmpty)
    }

    @Test("A closed scope gives it, also to builders whose value needs no keeper there") func closed() async throws {
        let request = EnvironmentScope.empty("request", parent: app)
        await request.close()
        #expect(try request.value(for: \.limit) == 10)
        #expect(request.report == "at most 10")
        await app.close()
        #expect(app.limit == 10 && app.user == nil)
    }
}
