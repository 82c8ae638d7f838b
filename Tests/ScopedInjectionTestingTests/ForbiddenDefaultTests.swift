import Dispatch
import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("A default that the test forbids")
struct ForbiddenDefaultTests {
    @Test(
        "Read through a reference, it is a failure of the test at the reference's line",
        .issues { issues in
            let issue = try #require(issues.first)
            #expect(issues.count == 1)
            #expect(issue.isFailure)
            #expect(issue.fileID == "Server/Client.swift")
            #expect(issue.line == 42)
            #expect(issue.test?.name == "throughReference()")
            #expect(
                issue.text == """
                    No value for PortKey (Int): nothing is set or provided, and "strict" forbids defaults.
                      Read by: the reference at Server/Client.swift:42
                      Searched: "strict"
                      To fix it: set it in the test (.scope { $0[PortKey.self] = … }), or allow its default there \
                    (allowing: PortKey.self); if the default harms no test, say so where it is declared \
                    (isSafeInTests: true).
                      Given: the default all the same, for the rest of the test, because the read cannot throw.
                    """
            )
        },
        .scope("strict", defaults: .forbidden)
    )
    func throughReference() {
        let port = Injected(\.port, fileID: "Server/Client.swift", line: 42)
        #expect(port() == 8080)
    }

    @Test(
        "Read through the scope itself, it is a failure at the test's line",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [true])
            #expect(issues.first?.fileID == issues.first?.test?.sourceLocation.fileID)
            #expect(issues.first?.line == issues.first?.test?.sourceLocation.line)
            #expect(issues.first?.text.contains("Read by") == false)
            let reason = "\n  This line: that of the test, because the scope was read without a reference."
            #expect(issues.first?.text.hasSuffix(reason) == true)
        },
        .scope(defaults: .forbidden)
    )
    func throughScope() { #expect(EnvironmentScope.current.port == 8080) }

    @Test(
        "It is reported once for each key, however many read it at once",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [true, true])
            #expect(issues.contains { $0.value == "PortKey" })
            #expect(issues.contains { $0.value == "HostKey" })
        },
        .scope(defaults: .forbidden)
    )
    func once() async {
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { #expect(EnvironmentScope.current.port == 8080) }
                group.addTask { #expect(EnvironmentScope.current.host == "localhost") }
            }
        }
        #expect(EnvironmentScope.current.port == 8080)
    }

    @Test(
        "Two threads that miss it at the same moment report it once",
        .issues { issues in #expect(issues.map { $0.value } == ["PortKey"]) },
        .scope(defaults: .forbidden) { scope in
            let meeting = Meeting(of: 2)
            scope.provide(TransientKey.self) { builder in
                do {
                    _ = try builder.value(for: PortKey.self)
                } catch {
                    // Neither has reported it before both have missed it.
                    meeting.attend()
                    throw error
                }
                return Object()
            }
        }
    )
    func atOnce() async {
        let object = Injected(key: TransientKey.self)
        async let first = onQueue(EnvironmentScope.current.bind { object() }, on: DispatchQueue(label: "first"))
        async let second = onQueue(EnvironmentScope.current.bind { object() }, on: DispatchQueue(label: "second"))
        #expect(await first !== second)
    }

    @Test(
        "It is built and kept as where it is allowed",
        .issues { issues in #expect(issues.count == 1) },
        .scope(defaults: .forbidden)
    )
    func kept() {
        let first = EnvironmentScope.current[ObjectKey.self]
        #expect(EnvironmentScope.current[ObjectKey.self] === first)
        #expect(EnvironmentScope.empty("child", parent: .current)[ObjectKey.self] === first)
    }

    @Test(
        "A lifetime of its own is respected",
        .issues { issues in #expect(issues.count == 2) },
        .scope(defaults: .forbidden)
    )
    func lifetimes() {
        #expect(EnvironmentScope.current[TransientKey.self] !== EnvironmentScope.current[TransientKey.self])
        let scoped = EnvironmentScope.current[ScopedKey.self]
        #expect(EnvironmentScope.current[ScopedKey.self] === scoped)
        #expect(EnvironmentScope.empty("child", parent: .current)[ScopedKey.self] !== scoped)
    }

    @Test("A read that can throw throws, and is no failure", .withoutIssues, .scope("strict", defaults: .forbidden))
    func throwing() throws {
        let error = try #require(throws: ScopeError.self) { try EnvironmentScope.current.value(for: PortKey.self) }
        #expect(error.code == .defaultForbidden)
        let several = try #require(throws: ScopeError.self) {
            try EnvironmentScope.current.validate(PortKey.self, UserKey.self, HostKey.self, TokenKey.self)
        }
        #expect(several.failures.map(\.code) == [.defaultForbidden, .defaultForbidden, .defaultForbidden])
    }

    @Test(
        "A callback on a queue and a detached task fail the test that bound them",
        .issues { issues in
            #expect(issues.map(\.line) == [7, 8])
            #expect(issues.map(\.test?.name) == ["elsewhere()", "elsewhere()"])
            #expect(issues.map(\.isFailure) == [true, true])
        },
        .scope(defaults: .forbidden)
    )
    func elsewhere() async {
        let port = Injected(\.port, line: 7)
        let host = Injected(\.host, line: 8)
        #expect(await onQueue(EnvironmentScope.current.bind { port() }) == 8080)
        #expect(await Task.detached(operation: EnvironmentScope.current.bind { host() }).value == "localhost")
    }

    @Test(
        "Each default that another one needs is reported, with the keys that need it",
        .issues { issues in
            #expect(
                issues.map { $0.value } == [
                    "AddressKey", "HostKey", "PortKey",
                ]
            )
            #expect(issues.map { $0.text.contains("Needed by: AddressKey → ") } == [false, true, true])
        },
        .scope(defaults: .forbidden)
    )
    func needs() { #expect(EnvironmentScope.current.address == "localhost:8080") }

    @Test(
        "A default that a provided builder reads is reported, and what was built is kept",
        .issues { issues in
            #expect(issues.map { $0.value } == ["PortKey"])
            #expect(issues.first?.line == 5)
        },
        .scope(defaults: .forbidden) { scope in
            scope.provide(ObjectKey.self) { builder in
                let port = Injected(\.port, line: 5)
                #expect(port() == 8080)
                return Object()
            }
        }
    )
    func inBuilder() {
        let first = EnvironmentScope.current[ObjectKey.self]
        #expect(EnvironmentScope.current[ObjectKey.self] === first)
    }

    @Test(
        "A value that the parent has built from defaults hides none of them",
        .issues { issues in
            #expect(Set(issues.map { $0.value }) == ["PortKey", "HostKey"])
        },
        .scope(parent: Self.app(), defaults: .forbidden)
    )
    func builtInParent() throws {
        let parent = try #require(EnvironmentScope.current.parent)
        #expect(parent[PageKey.self] == "page at localhost:8080")
        #expect(EnvironmentScope.current[PageKey.self] == "page at localhost:8080")
        #expect(EnvironmentScope.current[PageKey.self] == "page at localhost:8080")
    }

    private static func app() -> EnvironmentScope {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(AddressKey.self) { "\(try $0.value(for: HostKey.self)):\(try $0.value(for: PortKey.self))" }
        app.provide(PageKey.self) { "page at \(try $0.value(for: AddressKey.self))" }
        return app
    }

    @Test(
        "What is set or provided serves, in the parent as well, and nil is set",
        .withoutIssues,
        .scope(parent: EnvironmentScope("app", parent: nil) { $0.host = "app" }, defaults: .forbidden) {
            $0.port = 1
            $0.user = nil
            $0.provide(AddressKey.self) { "\(try $0.value(for: HostKey.self)):\(try $0.value(for: PortKey.self))" }
        }
    )
    func serving() {
        #expect(EnvironmentScope.current.address == "app:1")
        #expect(EnvironmentScope.current.user == nil)
    }

    @Test("A scope below that allows defaults has them", .withoutIssues, .scope(defaults: .forbidden))
    func allowedBelow() {
        let child = EnvironmentScope.empty("child", parent: .current, defaults: .allowed)
        #expect(child.port == 8080)
    }

    @Test(
        "A scope below, and a new parent, do not get around it",
        .issues { issues in #expect(issues.count == 2) },
        .scope(defaults: .forbidden)
    )
    func below() {
        let child = EnvironmentScope.empty("child", parent: .current)
        #expect(child.port == 8080)
        let adopted = EnvironmentScope.empty("adopted", parent: nil)
        adopted.parent = .current
        #expect(adopted.host == "localhost")
    }
}

private final class Object: Sendable {}
private enum ObjectKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Object { Object() }
}
private enum TransientKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Object { Object() }
    static let lifetime = ValueLifetime.transient
}
private enum ScopedKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Object { Object() }
    static let lifetime = ValueLifetime.scoped
}
private enum PageKey: ScopeKey { typealias Value = String }
