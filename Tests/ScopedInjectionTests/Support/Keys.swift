import ScopedInjection

// The values that most suites use.

struct User: Sendable, Equatable { var name: String }

enum PortKey: ScopeKey { static let defaultValue = 8080 }
enum HostKey: ScopeKey { static let defaultValue = "localhost" }
enum UserKey: ScopeKey { typealias Value = User? }
enum TokenKey: ScopeKey { typealias Value = Token }

struct Token: Sendable, Equatable { var text: String }

extension EnvironmentScope {
    var port: Int {
        get { self[PortKey.self] }
        set { self[PortKey.self] = newValue }
    }
}

extension EnvironmentScope {
    var host: String {
        get { self[HostKey.self] }
        set { self[HostKey.self] = newValue }
    }
    var user: User? {
        get { self[UserKey.self] }
        set { self[UserKey.self] = newValue }
    }
    var token: Token {
        get { self[TokenKey.self] }
        set { self[TokenKey.self] = newValue }
    }
}
