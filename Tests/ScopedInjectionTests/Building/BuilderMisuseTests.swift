import ScopedInjection
import Testing

private struct KeptScope: Sendable { let scope: EnvironmentScope }
private enum KeptScopeKey: ScopeKey { typealias Value = KeptScope? }

private enum GreetingKey: ScopeKey { typealias Value = String }

extension EnvironmentScope {
    fileprivate var greeting: String { self[GreetingKey.self] }
}

@Suite("R4, R10: misuse of the scope given to a builder ends the program with the error's text")
struct BuilderMisuseTests {
    @Test("Setting a value through the scope given to makeValue")
    func settingInBuilder() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scope = EnvironmentScope.empty(parent: nil)
            scope.provide(HostKey.self) { builder in
                builder.port = 1
                return ""
            }
            _ = scope.host
        }
        expect(
            result,
            saysExactly: """
                Setting PortKey through the scope that was given to the builder of HostKey is not possible: \
                it only resolves.
                  To fix it: set values where the scope is made, or build them with a value of their own.
                """
        )
    }

    @Test("Setting a value in a builder that another one needs: the path of keys is named")
    func settingInNeededBuilder() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scope = EnvironmentScope.empty(parent: nil)
            scope.provide(GreetingKey.self) { $0.host }
            scope.provide(HostKey.self) { builder in
                builder.port = 1
                return ""
            }
            _ = scope.greeting
        }
        expect(result, says: "it only resolves.\n  Needed by: GreetingKey → HostKey\n  To fix it: set values where")
    }

    @Test("Binding the references in the values of the scope given to a builder")
    func bindingValuesInBuilder() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scope = EnvironmentScope.empty(parent: nil)
            scope.provide(HostKey.self) { builder in
                builder.replaceInValues()
                return ""
            }
            _ = scope.host
        }
        expect(
            result,
            saysExactly: """
                Binding the references in the values through the scope that was given to the builder of HostKey is \
                not possible: it only resolves.
                  To fix it: do it where the scope is made.
                """
        )
    }

    @Test("Making a scope its own parent in a builder: the builder's key is named, and no question mark")
    func parentOfItselfInBuilder() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scope = EnvironmentScope.empty(parent: nil)
            scope.provide(HostKey.self) { _ in
                let app = EnvironmentScope.empty("app", parent: nil)
                app.parent = app
                return ""
            }
            _ = scope.host
        }
        expect(result, saysExactly: "\"app\" cannot be its own parent.\n  Needed by: HostKey")
    }

    @Test("Setting a value through the current scope while a value is built")
    func settingInCurrentScopeOfBuilder() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scope = EnvironmentScope.empty(parent: nil)
            scope.provide(HostKey.self) { _ in
                EnvironmentScope.current.port = 1
                return ""
            }
            _ = scope.host
        }
        expect(result, says: "Setting PortKey through the scope that was given to the builder of HostKey")
    }

    @Test("Providing a builder through the scope given to makeValue")
    func providingInBuilder() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scope = EnvironmentScope.empty(parent: nil)
            scope.provide(HostKey.self) { builder in
                builder.provide(PortKey.self) { _ in 1 }
                return ""
            }
            _ = scope.host
        }
        expect(
            result,
            says: "Providing a builder for PortKey through the scope that was given to the builder of HostKey"
        )
    }

    @Test("Setting a value through the scope that a built value has kept")
    func settingThroughKeptScope() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scope = EnvironmentScope.empty(parent: nil)
            scope.provide(KeptScopeKey.self) { KeptScope(scope: $0) }
            scope[KeptScopeKey.self]?.scope.port = 1
        }
        expect(result, says: "Setting PortKey through the scope that was given to the builder of KeptScopeKey")
    }
}
