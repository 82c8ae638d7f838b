import ScopedInjection
import Testing

@Suite("R7: configuring a new scope", .programRoots)
struct ConfiguringTests {
    @Test("The scope is current while it is configured, also for references") func current() async {
        let port = Injected(\.port)
        let scope = EnvironmentScope("new", parent: nil) {
            $0.port = 5
            #expect($0 === EnvironmentScope.current && port() == 5)
        }
        let later = await EnvironmentScope("new", parent: nil) { scope in
            await Task.yield()
            #expect(scope === EnvironmentScope.current)
        }
        #expect(EnvironmentScope.current !== scope)
        #expect(EnvironmentScope.current !== later)
    }

    @Test("Values set by the configuration are set in the scope and not in its parent") func values() async {
        let parent = EnvironmentScope("parent", parent: nil) { $0.port = 1 }
        let child = EnvironmentScope("child", parent: parent) { $0.port += 1 }
        let grandchild = await EnvironmentScope("grandchild", parent: child) { scope in
            await Task.yield()
            scope.port += 1
        }
        #expect(parent.port == 1)
        #expect(child.port == 2)
        #expect(grandchild.port == 3)
        #expect(grandchild.parent === child)
        #expect(grandchild.name == "grandchild")
    }

    @Test("An error of the configuration is passed on, and the scope is released") func errors() async {
        weak var scope: EnvironmentScope?
        #expect(throws: Refusal(code: 1)) {
            try EnvironmentScope("new", parent: nil) {
                scope = $0
                $0.port = try refuse(1)
            }
        }
        #expect(scope == nil)
        await #expect(throws: Refusal(code: 2)) {
            try await EnvironmentScope("new", parent: nil) {
                scope = $0
                $0.port = try await refuseLater(2)
            }
        }
        #expect(scope == nil)
    }

    @Test("The cleanups of a failed configuration run before the error, with their chain", arguments: [true, false])
    func failed(isAsync: Bool) async {
        let log = Log()
        do {
            let outer = EnvironmentScope("outer", parent: nil) { $0.port = 7 }
            let app = EnvironmentScope.empty("app", parent: outer)
            let register: @Sendable (EnvironmentScope) -> Void = { scope in
                scope.onClose { log.add("older \(EnvironmentScope.current.port)") }
                scope.onClose { log.add("newer in \(EnvironmentScope.current.name ?? "")") }
            }
            if isAsync {
                await #expect(throws: Refusal.self) {
                    try await EnvironmentScope("request", parent: app) { scope in
                        register(scope)
                        _ = try await refuseLater(1)
                    }
                }
            } else {
                #expect(throws: Refusal.self) {
                    try EnvironmentScope("request", parent: app) { scope in
                        register(scope)
                        _ = try refuse(1)
                    }
                }
            }
            #expect(log.lines == ["newer in request", "older 7"])
        }
    }
}
