import ScopedInjection

// What the examples in the comments of the library name: the values, and the types that the comments only mention.

// ⟨ScopeValue.swift: extension ScopeValues⟩

// ⟨part of README.md: struct User⟩

extension ScopeValues {
    static var host: ScopeValue<String> { .value("localhost") }
    static var requestID: ScopeValue<String?> { .optional() }
    static var mailer: ScopeValue<Mailer?> { .optional() }
    static var primary: ScopeValue<Int> { .value(1) }
    static var replica: ScopeValue<Int> { .value(2) }
    static var settings: ScopeValue<Settings> { .value(Settings()) }
    static var jobID: ScopeValue<Int> { .value(1) }
    static var plugins: ScopeValue<[Audit]> { .value([]) }
    static var git: ScopeValue<GitClient> { .required() }
    static var shell: ScopeValue<String> { .value("sh") }
    static var poolSize: ScopeValue<Int> { .value(5) }
}

struct GitClient: Sendable {
    var tags: @Sendable () throws -> [String] = unimplemented("Git.tags")
    var branch: @Sendable () -> String = unimplemented("Git.branch", placeholder: "")
}

// ⟨Unimplemented.swift: struct FileClient⟩

struct PaymentsOfTests: Sendable {
    // ⟨Unimplemented.swift: var branch⟩
    // ⟨Unimplemented.swift: func charge⟩
    // ⟨Unimplemented.swift: func balance⟩
}

extension GitClient {
    static func live(_ shell: String) throws -> GitClient { GitClient(tags: { [shell] }, branch: { shell }) }
}

struct Logger: Sendable {
    let label: String
    func debug(_ text: String) {}
    func info(_ text: String) {}
    func error(_ text: String) {}
}

struct Tracer: Sendable {}
final class Span: Sendable { func end() {} }
actor Connection {
    let statistics = ""
    static func open(_ path: String) async throws -> Connection { Connection() }
    func shutdown() throws {}
}
final class Pool: Database {
    let path: String
    init(path: String, size: Int = 5) throws { self.path = path }
    func shutdown() async throws {}
}
struct Port: Sendable {}
struct Transaction: Sendable { func end() {} }
extension Database {
    func begin() throws -> Transaction { Transaction() }
}
struct Note: Sendable {}
extension Database {
    func notes() throws -> [Note] { [] }
}
struct Events: Sendable { func forEach(_ body: @escaping @Sendable (Int) async -> Void) async {} }
struct EventHandler: Sendable { func handle(_ event: Int) async {} }
struct Transactions: Sendable {
    func transaction(_ body: @escaping @Sendable (Self) async throws -> Void) async throws { try await body(self) }
    func save(_ note: Note) async throws {}
}
final class Mailer: Sendable { let user = Injected(\.user) }
actor Greeter { func greeting() -> String { "Hello" } }
struct Cart: Sendable {}
struct Audit: Sendable {}
class Search: @unchecked Sendable {}
final class BetaSearch: Search, @unchecked Sendable {}
struct Client: Sendable { let token: Token? }
struct Settings: Sendable { var url = "https://notes.example" }
struct Parser { func parse(_ text: String) throws -> Int { text.count } }
enum Postgres { static func connect() async throws -> any Database { InMemory() } }
struct Plain: Sendable { func run() {} }
struct Throwing: Sendable { func run() throws -> Int { 1 } }
struct Waiting: Sendable { func run() async {} }
struct Failing: Sendable { func run() async throws {} }
struct Job: Sendable {
    let id: Int
    func run() async throws {}
}
