import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let folder = ScopeValue("notes", name: "folder")
    fileprivate static let archive = ScopeValue<any Database>(name: "archive") { scope in
        try SQLite(path: "\(scope.folder)/archive.db")
    }
    fileprivate static let store = ScopeValue(name: "store") { scope in NoteStore(database: scope.archive) }
    fileprivate static let reader = ScopeValue<User?>(name: "reader")
}

private final class Durations: Sendable {
    private let durations = Box<[String: Duration]>([:])
    var keys: Set<String> { Set(durations.value.keys) }
    func add(_ duration: Duration, of key: String) { durations.update { $0[key, default: .zero] += duration } }
}

@Suite("Documentation: seeing what a scope does")
struct SeeingPage {
    @Test("The page shows what its program prints")
    func printed() throws {
        let printed = Box<[String]>([])
        func print(_ thing: some CustomStringConvertible & Sendable) { printed.update { $0.append("\(thing)") } }

        let app = EnvironmentScope("app", parent: nil) { $0.folder = "live" }
        let request = EnvironmentScope("request", parent: app) { $0.reader = User(name: "Ada") }
        _ = request.store
        print(request.explain(\.store))

        print(request.graph)

        let page = try Page(article: "Seeing")
        #expect(printed.value == Array(page.texts("text").prefix(2)))
    }

    @Test("An observer hears of builds")
    func observed() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let slow = Durations()
        app.observe { event in
            if event.kind == .built, let key = event.key { slow.add(event.duration, of: key) }
        }
        _ = app.store
        #expect(slow.keys == ["folder", "archive", "store"])
    }
}
