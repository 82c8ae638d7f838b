import Dispatch
import ScopedInjection
import ScopedInjectionTesting
import Testing

// Sources/ScopedInjectionTesting/Documentation.docc/TestingWithScopes.md shows these.

protocol Database: Sendable {
    func save(_ note: String)
    var notes: [String] { get }
}

final class InMemory: Database {
    private let content = Box<[String]>([])
    func save(_ note: String) { content.update { $0.append(note) } }
    var notes: [String] { content.value }
}

enum DatabaseKey: ScopeKey { typealias Value = any Database }

extension EnvironmentScope {
    var database: any Database {
        get { self[DatabaseKey.self] }
        set { self[DatabaseKey.self] = newValue }
    }
}

struct NoteStore: Sendable {
    @Injected(\.database) var database
    func add(_ note: String) { database.save(note) }
}

@Suite(.scope(defaults: .forbidden) { $0.database = InMemory() })
struct NoteStoreTests {
    let store = NoteStore()

    @Test func addsANote() {
        store.add("milk")
        #expect(store.database.notes == ["milk"])
    }

    @Test(.scope { $0.user = User(name: "Ada") })
    func startsEmpty() {
        #expect(store.database.notes == [])
        #expect(EnvironmentScope.current.user?.name == "Ada")
    }
}

extension Trait where Self == ScopeTrait {
    static var inMemory: Self { .scope { $0.database = InMemory() } }
}

@Test(.inMemory) func savesInMemory() {
    NoteStore().add("milk")
    #expect(EnvironmentScope.current.database.notes == ["milk"])
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

// MARK: Two suites, one key

@Suite(.scope { $0.port = 1 })
struct FirstServerTests {
    @Injected(\.port) var port
    @Test(arguments: 0..<100) func usesItsPort(_ attempt: Int) { #expect(port == 1) }
}

@Suite(.scope { $0.port = 2 })
struct SecondServerTests {
    @Injected(\.port) var port
    @Test(arguments: 0..<100) func usesItsPort(_ attempt: Int) { #expect(port == 2) }
}

// MARK: References held as let

final class Mailer: Sendable {
    let host = Injected(\.host)
    let port = Injected(\.port)
    var server: String { "\(host()):\(port())" }
}

struct MailerTests {
    @Test(
        .scope {
            $0.host = "mail.test"
            $0.port = 25
        }
    )
    func resolvesInTheTest() {
        #expect(Mailer().server == "mail.test:25")
    }

    @Test func resolvesInAnotherScope() {
        let mailer = Mailer()
        let test = EnvironmentScope("test", parent: nil) {
            $0.host = "mail.test"
            $0.port = 25
        }
        test.replace(in: mailer)
        #expect(mailer.server == "mail.test:25")
    }
}

// MARK: Dispatch and detached tasks

final class Uploader: Sendable {
    let host = Injected(\.host)

    func upload(then completion: @escaping @Sendable (String) -> Void) {
        DispatchQueue.global().async(
            execute: EnvironmentScope.current.bind { [host] in completion("to \(host())") }
        )
    }

    func uploadDetached() async -> String {
        await Task.detached(operation: EnvironmentScope.current.bind { [host] in "to \(host())" }).value
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

    @Test func uploadsInADetachedTask() async {
        let result = await Uploader().uploadDetached()
        #expect(result == "to upload.test")
    }
}

// MARK: A clear failure for an unset value

struct TokenTests {
    @Test(
        .scope {
            $0.token = Token(text: "secret")
            try $0.validate(TokenKey.self)
        }
    )
    func startsOnlyWithAToken() {
        #expect(Injected(\.token)().text == "secret")
    }

    @Test(.scope(defaults: .forbidden))
    func saysWhatIsMissing() throws {
        let error = try #require(throws: ScopeError.self) {
            try EnvironmentScope.current.value(for: PortKey.self)
        }
        #expect(error.code == .defaultForbidden)
        #expect(error.key == "PortKey")
        let remedy = "scope[PortKey.self] = …"
        #expect(error.description.contains(remedy))
    }
}

// MARK: Another global scope for one test binary

/// Replaces the global scope before the first test of the binary runs.
struct TestWorld: SuiteTrait, TestTrait {
    private static let replacement: Void = {
        EnvironmentScope.global = EnvironmentScope("global", parent: nil) { $0[WorldKey.self] = "test" }
    }()

    func prepare(for test: Test) async throws { Self.replacement }
}

extension Trait where Self == TestWorld {
    static var testWorld: Self { TestWorld() }
}

@Suite(.testWorld)
struct WorldTests {
    @Test func isReplacedWhereNoScopeIsEntered() {
        #expect(EnvironmentScope.current === EnvironmentScope.global)
        #expect(EnvironmentScope.current[WorldKey.self] == "test")
    }

    @Test(.scope(parent: .global))
    func isTheParentOfATestThatAsksForIt() {
        #expect(EnvironmentScope.current[WorldKey.self] == "test")
    }

    @Test(.scope())
    func isOutOfReachOfOtherTests() {
        #expect(EnvironmentScope.current[WorldKey.self] == "live")
    }
}

enum WorldKey: ScopeKey { static let defaultValue = "live" }
