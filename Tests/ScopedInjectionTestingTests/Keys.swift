import ScopedInjection

// The values that most suites use.

struct User: Sendable, Equatable { var name: String }
struct Token: Sendable, Equatable { var text: String }

enum PortKey: ScopeKey { static let defaultValue = 8080 }
enum HostKey: ScopeKey { static let defaultValue = "localhost" }
enum AddressKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> String {
        "\(try scope.value(for: HostKey.self)):\(try scope.value(for: PortKey.self))"
    }
}
enum UserKey: ScopeKey { typealias Value = User? }
enum TokenKey: ScopeKey { typealias Value = Token }

extension EnvironmentScope {
    var port: Int {
        get { self[PortKey.self] }
        set { self[PortKey.self] = newValue }
    }
    var host: String {
        get { self[HostKey.self] }
        set { self[HostKey.self] = newValue }
    }
    var address: String {
        get { self[AddressKey.self] }
        set { self[AddressKey.self] = newValue }
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

extension ScopeValues {
    static let session = ScopeValue<Token>.required(name: "session")
    static let page = ScopeValue(isSafeInTests: true, name: "page") { "page of \($0.session)" }
}
