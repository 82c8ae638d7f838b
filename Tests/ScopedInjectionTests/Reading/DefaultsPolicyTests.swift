import ScopedInjection
import Testing

@Suite("R13: a scope that forbids defaults")
struct DefaultsPolicyTests {
    @Test("A default that a descendant was allowed stays forbidden in the scope that forbids it")
    func allowedBelowOnly() {
        let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: test, defaults: .allowed)
        #expect(part.port == 8080)
        #expect(isForbidden(PortKey.self, in: test))
    }

    @Test("Every kind of default but nil is forbidden: constants, built values", arguments: Default.allCases)
    func everyDefault(_ kind: Default) throws {
        let scope = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        guard kind != .optional else { return #expect(try scope.value(for: UserKey.self) == nil) }
        let error = try #require(throws: ScopeError.self) { try kind.read(in: scope) }
        #expect(error.code == .defaultForbidden)
        #expect(error.key == kind.key)
    }

    @Test("A default of nil is never forbidden, however it is declared", arguments: 0..<5)
    func nilDefault(index: Int) throws {
        let scope = EnvironmentScope.empty(parent: nil, defaults: .forbidden)
        let values = [
            ScopeValue<User?>(), ScopeValue<User?>(nil), ScopeValue(nil as User?), ScopeValue(User?.none, name: "user"),
        ]
        if index < values.count {
            #expect(try scope.value(for: values[index]) == nil)
        } else {
            let error = #expect(throws: ScopeError.self) { try scope.value(for: ScopeValue<User?>(User(name: "Ada"))) }
            #expect(error?.code == .defaultForbidden)
        }
    }

    @Test("Defaults are forbidden in the scope and below, not above")
    func below() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: test)
        #expect(isForbidden(PortKey.self, in: test))
        #expect(isForbidden(PortKey.self, in: part))
        #expect(app.port == 8080)
    }

    @Test("A descendant can allow defaults again")
    func allowedAgain() throws {
        let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: test, defaults: .allowed)
        let detail = EnvironmentScope.empty("detail", parent: part)
        #expect(part.port == 8080)
        #expect(detail.port == 8080)
        #expect(detail[AddressKey.self] == "localhost:8080")
        let strict = EnvironmentScope.empty("strict", parent: detail, defaults: .forbidden)
        #expect(isForbidden(PortKey.self, in: strict))
    }

    @Test("A default that was built below a scope that forbids it is shared with a new parent that allows it")
    func newParent() {
        let strict = EnvironmentScope.empty("strict", parent: nil, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: strict, defaults: .allowed)
        let before = part[PolicyProductKey.self]
        let app = EnvironmentScope.empty("app", parent: nil)
        part.parent = app
        let after = part[PolicyProductKey.self]
        #expect(after !== before)
        #expect(after === app[PolicyProductKey.self])
    }

    @Test("What a value makes of the text of a forbidden default is the same for all who are given the value")
    func textIsNobodys() {
        let app = EnvironmentScope.empty("app", parent: nil, defaults: .forbidden)
        app.provide(HostKey.self) { scope in
            do {
                return "\(try scope.value(for: PortKey.self))"
            } catch {
                return "\(error)"
            }
        }
        let alice = EnvironmentScope.empty("alice", parent: app, defaults: .forbidden)
        let bob = EnvironmentScope.empty("bob", parent: app, defaults: .forbidden)
        #expect(!alice[HostKey.self].contains("alice"))
        #expect(bob[HostKey.self].contains("\"app\" forbids"))
    }

    @Test("Set values are read, wherever they are set")
    func setValues() throws {
        let app = EnvironmentScope("app", parent: nil) {
            $0.port = 1
            $0.user = nil
        }
        let test = EnvironmentScope("test", parent: app, defaults: .forbidden) { $0.host = "example.org" }
        #expect(try test.value(for: PortKey.self) == 1)
        #expect(try test.value(for: HostKey.self) == "example.org")
        #expect(try test.value(for: UserKey.self) == nil)
    }

    @Test("Provided builders run, above and in the scope")
    func providers() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(PortKey.self) { _ in 1 }
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        test.provide(HostKey.self) { builder in "host:\(try builder.value(for: PortKey.self))" }
        #expect(try test.value(for: PortKey.self) == 1)
        #expect(try test.value(for: HostKey.self) == "host:1")
    }

    @Test("A provided builder may not read a default")
    func providerReadsDefault() throws {
        let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        test.provide(HostKey.self) { builder in "host:\(try builder.value(for: PortKey.self))" }
        let error = try #require(throws: ScopeError.self) { try test.value(for: HostKey.self) }
        #expect(error.code == .defaultForbidden)
        #expect(error.key == "PortKey")
        #expect(error.path == ["HostKey", "PortKey"])
        test.port = 1
        #expect(try test.value(for: HostKey.self) == "host:1")
    }

    @Test("A default that was read before, elsewhere in the chain, stays forbidden")
    func readBefore() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: test, defaults: .allowed)
        #expect(app.port == 8080)
        #expect(part.port == 8080)
        #expect(isForbidden(PortKey.self, in: test))
        #expect(part.port == 8080)
    }

    @Test("A value built above from a default is not seen where defaults are forbidden")
    func builtFromDefault() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(HostKey.self) { builder in "host:\(try builder.value(for: PortKey.self))" }
        let test = EnvironmentScope.empty("test", parent: app, defaults: .forbidden)
        #expect(app.host == "host:8080")
        let error = try #require(throws: ScopeError.self) { try test.value(for: HostKey.self) }
        #expect(error.code == .defaultForbidden)
        #expect(error.key == "PortKey")
        test.port = 1
        #expect(try test.value(for: HostKey.self) == "host:1")
        #expect(app.host == "host:8080")
    }

    @Test("Removing a set value makes the default forbidden again")
    func removing() throws {
        let test = EnvironmentScope("test", parent: nil, defaults: .forbidden) { $0.port = 1 }
        #expect(test.port == 1)
        test.removeValue(for: PortKey.self)
        #expect(isForbidden(PortKey.self, in: test))
    }

    @Test("A new parent brings its policy")
    func reparenting() throws {
        let strict = EnvironmentScope.empty("strict", parent: nil, defaults: .forbidden)
        let lenient = EnvironmentScope.empty("lenient", parent: nil)
        let scope = EnvironmentScope.empty("scope", parent: lenient)
        #expect(scope.port == 8080)
        scope.parent = strict
        #expect(isForbidden(PortKey.self, in: scope))
        scope.parent = lenient
        #expect(scope.port == 8080)
    }

    @Test("A scope under the global one that forbids defaults follows a new global scope")
    func underGlobal() async {
        await #expect(processExitsWith: .success) {
            let test = EnvironmentScope.empty("test", defaults: .forbidden)
            #expect(throws: ScopeError.self) { try test.value(for: PortKey.self) }
            EnvironmentScope.global = EnvironmentScope("replacement", parent: nil) { $0.port = 1 }
            #expect(test.port == 1)
        }
    }

    @Test("Validating reports every default that is missing")
    func validating() throws {
        let test = EnvironmentScope("test", parent: nil, defaults: .forbidden) { $0.host = "example.org" }
        let error = try #require(throws: ScopeError.self) {
            try test.validate(PortKey.self, HostKey.self, UserKey.self, AddressKey.self)
        }
        #expect(error.failures.map(\.code) == [.defaultForbidden, .defaultForbidden])
        #expect(error.failures.map(\.key) == ["PortKey", "AddressKey"])
    }
}

// MARK: - Values of the tests

private enum AddressKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> String {
        "\(try scope.value(for: HostKey.self)):\(try scope.value(for: PortKey.self))"
    }
}

private enum ScopedPortKey: ScopeKey {
    static let defaultValue = 1
    static let lifetime = ValueLifetime.scoped
}

private enum TransientPortKey: ScopeKey {
    static let defaultValue = 1
    static let lifetime = ValueLifetime.transient
}

private func isForbidden<Key: ScopeKey>(_ key: Key.Type, in scope: EnvironmentScope) -> Bool {
    do {
        _ = try scope.value(for: key)
        return false
    } catch {
        return error.code == .defaultForbidden
    }
}

extension DefaultsPolicyTests {
    enum Default: CaseIterable {
        case constant, built, optional, required, scoped, transient

        var key: String {
            switch self {
            case .constant: "PortKey"
            case .built: "AddressKey"
            case .optional: "UserKey"
            case .required: "TokenKey"
            case .scoped: "ScopedPortKey"
            case .transient: "TransientPortKey"
            }
        }

        func read(in scope: EnvironmentScope) throws {
            switch self {
            case .constant: _ = try scope.value(for: PortKey.self)
            case .built: _ = try scope.value(for: AddressKey.self)
            case .optional: _ = try scope.value(for: UserKey.self)
            case .required: _ = try scope.value(for: TokenKey.self)
            case .scoped: _ = try scope.value(for: ScopedPortKey.self)
            case .transient: _ = try scope.value(for: TransientPortKey.self)
            }
        }
    }
}

private enum PolicyProductKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("default") }
}
