package import ScopedInjection
import Synchronization

final class Pool: Sendable {
    let path: String
    init(_ path: String) { self.path = path }
}

final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

struct Client: Sendable {
    var tags: @Sendable () throws -> [String] = unimplemented("Client.tags")
    var host = "live"
}

struct Clerk: Sendable {
    @Injected(\.user) var user
}

struct Down: Error {}

extension ScopeValues {
    static var path: ScopeValue<String> { .value("live.db") }
    package static var port: ScopeValue<Int> { .value(8080) }
    static var user: ScopeValue<String?> { .optional() }
    static var token: ScopeValue<String> { .required() }
    static var retries: ScopeValue<Int> { .value(5, inTests: 0) }
    static var pool: ScopeValue<Pool> { .lazy { Pool(try $0.path) } }
    static var poolOfApp: ScopeValue<Pool> { .lazy(.once(in: .application)) { Pool(try $0.path) } }
    static var mailer: ScopeValue<String> { .lazy { "live, \(try $0.retries) times" } }
    static var basket: ScopeValue<Counter> { .lazy(.once(in: .request), isSafeInTests: true) { _ in Counter() } }
    static var client: ScopeValue<Client> { .value(Client()) }
    static var testedClient: ScopeValue<Client> { .value(Client(), inTests: Client()) }
    static var safeCounter: ScopeValue<Counter> { .value(Counter(), isSafeInTests: true) }
    static var pastReader: ScopeValue<String> {
        .lazy(isSafeInTests: true) { _ in EnvironmentScope.global.user ?? "nobody" }
    }
    static var swallowing: ScopeValue<String> { .lazy(isSafeInTests: true) { (try? $0.token) ?? "none" } }
    static var title: ScopeValue<Deferred<String>> {
        .lazy(isSafeInTests: true) { _ in Deferred { EnvironmentScope.current.user ?? "nobody" } }
    }
    static var file: ScopeValue<Deferred<Int>> {
        .lazy(isSafeInTests: true) { _ in Deferred { EnvironmentScope.current.port } }
    }
    static var holder: ScopeValue<EnvironmentScope?> { .optional() }
    static var unread: ScopeValue<Int> { .value(1, isSafeInTests: true) }
    static var unclosed: ScopeValue<Deferred<Pool>> { .required() }
}

func makeApp() -> EnvironmentScope { EnvironmentScope("app", role: .application, parent: nil) { $0.path = "prod.db" } }

/// A job whose errors are logged, as servers have it.
func runJob() async {
    do {
        try await EnvironmentScope.current.withChild("job", role: .request) {
            _ = try EnvironmentScope.current.value(for: \.port)
        }
    } catch { print("logged: \("\(error)".prefix(40))") }
}
