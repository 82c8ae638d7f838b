import Dispatch
import ScopedInjection
import ScopedInjectionTesting
import Testing

protocol Database: Sendable {
    func save(_ note: String)
    var notes: [String] { get }
}

final class InMemory: Database {
    private let content = Box<[String]>([])
    func save(_ note: String) { content.update { $0.append(note) } }
    var notes: [String] { content.value }
}

extension ScopeValues {
    static var database: ScopeValue<any Database> { .required() }
}

struct NoteStore: Sendable {
    @Injected(\.database) var database
    func add(_ note: String) { database.save(note) }
}

// MARK: One database per argument

struct ImportTests {
    let store = NoteStore()

    @Test(.scope { $0.database = InMemory() }, arguments: ["milk", "bread", "tea"])
    func addsOneNote(_ note: String) {
        store.add(note)
        #expect(store.database.notes == [note])
    }

    @Test(.scope(), arguments: [["milk"], ["bread", "tea"]])
    func startsWithNotes(_ notes: [String]) {
        let database = InMemory()
        for note in notes { database.save(note) }
        EnvironmentScope.current.database = database

        store.add("more")
        #expect(database.notes == notes + ["more"])
    }
}

// MARK: A queue

final class Uploader: Sendable {
    let host = Injected(\.host)

    func upload(then completion: @escaping @Sendable (String) -> Void) {
        DispatchQueue.global().async(execute: EnvironmentScope.current.bind { [host] in completion("to \(host())") })
    }
}

@Suite(.scope { $0.host = "upload.test" })
struct UploaderTests {
    @Test func uploadsOnAQueue() async {
        let result = await withCheckedContinuation { waiting in
            Uploader().upload { waiting.resume(returning: $0) }
        }
        #expect(result == "to upload.test")
    }
}

// MARK: What is missing

struct TokenTests {
    @Test(.scope(defaults: .forbidden, strictness: .off))
    func saysWhatIsMissing() throws {
        let error = try #require(throws: ScopeError.self) {
            try EnvironmentScope.current.value(for: \.port)
        }
        #expect(error.code == .defaultForbidden && error.name == "port" && error.description.contains("scope.port = …"))
    }
}
