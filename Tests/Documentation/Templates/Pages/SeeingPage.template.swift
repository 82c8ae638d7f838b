import ScopedInjection
import Testing

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

        // ⟨Seeing.md: let app⟩

        // ⟨Seeing.md: print(request.graph)⟩

        let page = try Page(article: "Seeing")
        // The places are those of the reader's project.
        func withoutPlaces(_ texts: [String]) -> [String] {
            texts.map { $0.replacing(/\w+\/\w+\.(template\.swift|swift|md):\d+/, with: "…") }
        }
        #expect(withoutPlaces(printed.value) == withoutPlaces(Array(page.texts("text").prefix(2))))
    }

    @Test("An observer hears of builds")
    func observed() {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let logger = Logger()
        // ⟨Seeing.md: let slow⟩
        _ = app.noteStore
        #expect(slow.keys == ["database", "noteStore"])
    }
}
