import ScopedInjection
import Testing

@Suite("R18: what an update may not do", .programRoots, .timeLimit(.minutes(10)))
struct UpdateMisuseTests {
    private static let advice = "  To fix it: change it in the scope that the closure is given: update"

    @Test("A set: the whole text") func set() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            try app.update { _ in app.quota = 1 }
        }
        let text = """
            An update of "app" changes quota in "app" itself, before it is made.
            \(Self.advice) { $0.quota … }.
            """
        expect(result, saysExactly: text)
    }

    /// Another change of a scope in the closure of its update.
    enum Misuse: String, CaseIterable, Codable {
        case provide, decorate, setAgain, removal, furtherIn, reload

        func make(_ app: EnvironmentScope) async throws {
            switch self {
            case .provide: try app.update { _ in app.provide(\.quota) { _ in 1 } }
            case .decorate: try app.update { _ in app.decorate(\.quota) { inherited, _ in inherited } }
            case .setAgain: try app.with(\.quota, 1).update { _ in app.quota += 1 }
            case .removal: try app.update { _ in app.removeValue(for: \.quota) }
            case .furtherIn: try app.update { EnvironmentScope.empty("inner", parent: $0)() { app.quota = 1 } }
            case .reload:
                try await app.reload { _ in
                    await Task.yield()
                    app.quota = 1
                }
            }
        }
    }

    @Test("Other changes, also in a scope that is entered in the closure, and in a reload", arguments: Misuse.allCases)
    func others(_ misuse: Misuse) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
            try await misuse.make(.empty("app", parent: nil))
        }
        expect(result, says: #"An update of "app" changes quota in "app" itself"#)
    }

    @Test("Another scope may be changed in the closure") func otherScope() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let other = EnvironmentScope.empty("other", parent: app)
        try app.update { _ in other.quota = 3 }
        #expect(other.quota == 3)
    }

    @Test("A removal and a decoration are refused: the whole texts") func removalsAndDecorations() throws {
        let app = EnvironmentScope("app", parent: nil) { $0.quota = 5 }
        let removal = #expect(throws: ScopeError.self) {
            try app.update {
                $0.file = "new"
                #expect($0.removeValue(for: \.quota) == nil)
                #expect($0.quota == 5)
                $0.modify(\.labels) { $0.append("more") }
            }
        }
        let advice =
            "  To fix it: set or provide values in an update; remove or decorate them in the scope itself, before or after it."
        #expect(removal?.code == .invalid)
        #expect(removal?.description == "An update of \"app\" removes quota.\n\(advice)")
        let decoration = #expect(throws: ScopeError.self) {
            try app.update { $0.decorate(\.labels) { inherited, _ in inherited } }
        }
        #expect(decoration?.description == "An update of \"app\" decorates labels.\n\(advice)")
        #expect(app.quota == 5 && app.file == "a" && app.labels == ["base"])
    }

    @Test("An update in the closure of another one of the same scope is refused, and so is a reload")
    func updateInUpdate() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let inner: [(EnvironmentScope) throws -> Void] = [
            { _ in try app.update { $0.quota = 3 } },
            { try $0.update { $0.quota = 3 } },
            { scope in try EnvironmentScope.empty("inner", parent: scope)() { try app.update { $0.quota = 3 } } },
        ]
        for update in inner {
            var calls = 0
            let error = #expect(throws: ScopeError.self) {
                try app.update { scope in
                    calls += 1
                    scope.quota = 2
                    try update(scope)
                }
            }
            #expect(calls == 1 && error?.code == .invalid && app.quota == 10)
            let text = """
                An update of "app" is begun in the closure of another one, which is not made yet.
                  To fix it: make all changes in one closure, or one update after the other.
                """
            #expect(error?.description == text)
        }
        await #expect(throws: ScopeError.self) {
            try await app.reload { _ in try await app.reload { $0.quota = 3 } }
        }
        try await app.reload { $0.quota = 4 }
        #expect(app.quota == 4)
    }

    @Test("What is named and is not kept is refused") func unkept() throws {
        let app = EnvironmentScope("app", parent: nil) {
            $0.log = Log()
            $0.onFile = Product("set")
        }
        let error = #expect(throws: ScopeError.self) { try app.update(rebuilding: \.certificate) { $0.quota = 1 } }
        let text = """
            An update of "app" is to build certificate anew, which that scope has not built.
              To fix it: name what the scope keeps (scope.localValue(for:)); all else is built when it is next read.
            """
        #expect(error?.description == text)
        #expect(throws: ScopeError.self) { try app.update(rebuilding: \.onFile) { $0.quota = 1 } }
        _ = app.certificate
        let request = EnvironmentScope("request", parent: app) { _ in }
        #expect(throws: ScopeError.self) { try request.update(rebuilding: \.certificate) { _ in } }
        #expect(app.quota == 10)
        try app.update(rebuilding: \.certificate) { $0.certificate = Product("set") }
        #expect(app.certificate.text == "set")
    }
}
