import ScopedInjection
import Testing

@Suite("R10: an error says what is missing, where it was searched and what to do")
struct ErrorTests {
    // MARK: Texts

    @Test("A missing value names key, type, scopes in order, and what to do")
    func missingValue() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        let error = try #require(throws: ScopeError.self) { try request.value(for: TokenKey.self) }
        #expect(
            error.description == """
                No value for TokenKey (Token): nothing is set or provided, and the key has no default.
                  Searched: "request" → "app"
                  To fix it: set it in one of these scopes (scope[TokenKey.self] = …), provide a builder \
                (scope.provide(TokenKey.self) { … }), or give the key a defaultValue.
                """
        )
        withExtendedLifetime(app) {}
    }

    @Test("A cycle names all its keys")
    func cycle() throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        let error = try #require(throws: ScopeError.self) { try scope.value(for: EggKey.self) }
        #expect(
            error.description == """
                A cycle: EggKey (Int) needs itself to be built: EggKey → HenKey → EggKey.
                  Searched: "app"
                  To fix it: set one of these values, or let one of them hold an Injected reference, \
                which is read later.
                """
        )
    }

    @Test("A builder's failure includes the text of the error that it threw")
    func makeFailed() throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        let error = try #require(throws: ScopeError.self) { try scope.value(for: BrokenKey.self) }
        #expect(
            error.description == """
                The value for BrokenKey (Int) could not be built: the disk is full
                  Searched: "app"
                  To fix it: see the reason above; set BrokenKey where its builder cannot work.
                """
        )
    }

    @Test("A parent that is gone is named with its child")
    func parentReleased() throws {
        let child = orphan()
        let error = try #require(throws: ScopeError.self) { try child.value(for: PortKey.self) }
        let lines = error.description.split(separator: "\n")
        #expect(lines.first == #"No value for PortKey (Int): "app", the parent of "request", is gone."#)
        #expect(
            lines.last == """
                  To fix it: keep the parent for as long as its children are used: enter the child, or hold the parent.
                """
        )
    }

    @Test("A closed scope is named")
    func closed() async throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        await scope.close()
        let error = try #require(throws: ScopeError.self) { try scope.value(for: PortKey.self) }
        #expect(
            error.description == """
                The value for PortKey (Int) cannot be built: "app" is closed.
                  Searched: "app"
                  To fix it: read the value before the scope is closed, or ask a scope that is open.
                """
        )
    }

    @Test("A forbidden default names the scope that forbids it")
    func defaultForbidden() throws {
        let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: test)
        let error = try #require(throws: ScopeError.self) { try part.value(for: PortKey.self) }
        #expect(
            error.description == """
                No value for PortKey (Int): nothing is set or provided, and "test" forbids defaults.
                  Searched: "part" → "test"
                  To fix it: set it in one of these scopes (scope[PortKey.self] = …), provide a builder \
                (scope.provide(PortKey.self) { … }), or declare it with isSafeInTests: true if its default \
                harms no test.
                """
        )
        withExtendedLifetime(test) {}
    }

    @Test("A scope without a name is called unnamed")
    func unnamedScope() throws {
        let scope = EnvironmentScope.empty(parent: nil)
        let error = try #require(throws: ScopeError.self) { try scope.value(for: TokenKey.self) }
        #expect(error.description.contains("\n  Searched: unnamed scope\n"))
    }

    // MARK: Nested failures

    @Test("The failure of an input names the keys from the one asked for to the one that failed")
    func path() throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        let error = try #require(throws: ScopeError.self) { try scope.value(for: OuterKey.self) }
        #expect(
            error.description == """
                No value for TokenKey (Token): nothing is set or provided, and the key has no default.
                  Searched: "app"
                  Needed by: OuterKey → MiddleKey → TokenKey
                  To fix it: set it in one of these scopes (scope[TokenKey.self] = …), provide a builder \
                (scope.provide(TokenKey.self) { … }), or give the key a defaultValue.
                """
        )
    }

    @Test("If a builder replaces the failure of an input by its own, that is reported")
    func replacedFailure() throws {
        let scope = EnvironmentScope.empty(parent: nil)
        let error = try #require(throws: ScopeError.self) { try scope.value(for: PatientKey.self) }
        #expect(error.code == .makeFailed)
        #expect(error.key == "PatientKey")
        #expect(error.path.isEmpty)
        #expect(error.underlyingError as? Disk == .full)
    }

    @Test("The failure of a provided builder reads like that of the key's own builder")
    func providedBuilder() throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        scope.provide(HostKey.self) { scope in try scope.value(for: BrokenKey.self).description }
        let error = try #require(throws: ScopeError.self) { try scope.value(for: HostKey.self) }
        #expect(error.code == .makeFailed)
        #expect(error.key == "BrokenKey")
        #expect(error.path == ["HostKey", "BrokenKey"])
    }

    // MARK: Properties

    @Test("The properties of an error tell its parts")
    func properties() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        let error = try #require(throws: ScopeError.self) { try request.value(for: ReportKey.self) }
        #expect(error.code == .makeFailed)
        #expect(error.key == "BrokenKey")
        #expect(error.valueType == "Int")
        #expect(error.searchedScopes == [#""request""#, #""app""#])
        #expect(error.path == ["ReportKey", "BrokenKey"])
        #expect(error.underlyingError as? Disk == .full)
        #expect(error.location == nil)
        #expect(error.failures.isEmpty)
        withExtendedLifetime(app) {}
    }

    @Test("The path of a cycle is the cycle, without the keys that led to it")
    func cyclePath() throws {
        let scope = EnvironmentScope("app", parent: nil) {
            $0.provide(HostKey.self) { scope in try scope.value(for: EggKey.self).description }
        }
        let error = try #require(throws: ScopeError.self) { try scope.value(for: HostKey.self) }
        #expect(error.code == .cycle)
        #expect(error.key == "EggKey")
        #expect(error.path == ["EggKey", "HenKey", "EggKey"])
    }

    // MARK: Building again

    @Test("A failure is not kept: the next read builds again")
    func failureIsNotKept() throws {
        let scope = EnvironmentScope.empty(parent: nil)
        #expect(throws: ScopeError.self) { try scope.value(for: OuterKey.self) }
        scope.token = Token(text: "secret")
        #expect(try scope.value(for: OuterKey.self) == "secret")
    }

    // MARK: Validating

    @Test("Validating keys that all have a value throws nothing and builds them")
    func valid() throws {
        let scope = EnvironmentScope("app", parent: nil) { $0.token = Token(text: "secret") }
        try scope.validate(PortKey.self, OuterKey.self, UserKey.self)
        #expect(scope.localValue(for: PortKey.self) == 8080)
        #expect(scope.localValue(for: OuterKey.self) == "secret")
    }

    @Test("One key that fails is thrown as its own error")
    func oneInvalid() throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        let error = try #require(throws: ScopeError.self) {
            try scope.validate(PortKey.self, TokenKey.self, HostKey.self)
        }
        #expect(error.code == .missingValue)
        #expect(error.key == "TokenKey")
        #expect(error.failures.isEmpty)
    }

    @Test("If several keys fail, each is reported, in the order asked")
    func severalInvalid() throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        let error = try #require(throws: ScopeError.self) {
            try scope.validate(BrokenKey.self, PortKey.self, OuterKey.self, EggKey.self)
        }
        #expect(error.code == .invalid)
        #expect(error.key == nil)
        #expect(error.valueType == nil)
        #expect(error.failures.map(\.code) == [.makeFailed, .missingValue, .cycle])
        #expect(
            error.description == """
                3 values cannot be had:
                1. The value for BrokenKey (Int) could not be built: the disk is full
                     Searched: "app"
                     To fix it: see the reason above; set BrokenKey where its builder cannot work.
                2. No value for TokenKey (Token): nothing is set or provided, and the key has no default.
                     Searched: "app"
                     Needed by: OuterKey → MiddleKey → TokenKey
                     To fix it: set it in one of these scopes (scope[TokenKey.self] = …), provide a builder \
                (scope.provide(TokenKey.self) { … }), or give the key a defaultValue.
                3. A cycle: EggKey (Int) needs itself to be built: EggKey → HenKey → EggKey.
                     Searched: "app"
                     To fix it: set one of these values, or let one of them hold an Injected reference, \
                which is read later.
                """
        )
    }

    @Test("Validating builds the keys after one that failed")
    func validatingGoesOn() throws {
        let scope = EnvironmentScope.empty(parent: nil)
        #expect(throws: ScopeError.self) { try scope.validate(TokenKey.self, PortKey.self) }
        #expect(scope.localValue(for: PortKey.self) == 8080)
    }
}

private enum Disk: Error, Equatable, CustomStringConvertible {
    case full
    var description: String { "the disk is full" }
}

private enum BrokenKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Int { throw Disk.full }
}

private enum EggKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Int { try scope.value(for: HenKey.self) }
}

private enum HenKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Int { try scope.value(for: EggKey.self) }
}

private enum MiddleKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> String { try scope.value(for: TokenKey.self).text }
}

private enum OuterKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> String { try scope.value(for: MiddleKey.self) }
}

private enum ReportKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> String { "\(try scope.value(for: BrokenKey.self))" }
}

/// A value whose builder goes on if its input is missing.
private enum PatientKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> String {
        do {
            return try scope.value(for: TokenKey.self).text
        } catch {
            throw Disk.full
        }
    }
}

/// A scope whose parent is gone.
private func orphan() -> EnvironmentScope {
    let app = EnvironmentScope.empty("app", parent: nil)
    return EnvironmentScope.empty("request", parent: app)
}
