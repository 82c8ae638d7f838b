import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let result = ScopeValue<String>.required(name: "result")
    fileprivate static let detail = ScopeValue<String>.required(name: "detail")
    fileprivate static let primary = ScopeValue<String>.required(name: "primary")
}

@Suite("R6: cycles over the builders of another thread", .serialized)
struct CycleElsewhereTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("A builder there that reads the value of a build within, through a scope that it made")
    func ofTheBuildWithin() {
        app.provide(\.result) { scope in
            let own = EnvironmentScope.empty("own", parent: scope)
            own.provide(\.primary) { scope in try scope.value(for: \.detail) }
            own.provide(\.detail) { [unowned own] _ in
                let made = EnvironmentScope.empty("made", parent: own)
                return elsewhere { outcome(made, \.primary) }
            }
            return own.detail
        }
        #expect(app.result == "cycle: detail → primary → detail")
    }

    #if DEBUG
        @Test("A wait there for a build that waits for the one within")
        func wait() {
            app.provide(\.result) { scope in
                let own = EnvironmentScope.empty("own", parent: scope)
                let (isBegun, isAwaiting) = (Gate(), Gate())
                own.provide(\.primary) { scope in try scope.value(for: \.detail) }
                own.provide(\.detail) { [unowned own] _ in
                    isBegun.open()
                    isAwaiting.wait()
                    let made = EnvironmentScope.empty("made", parent: own)
                    return elsewhere { outcome(made, \.primary) }
                }
                let isOver = onThread {
                    isBegun.wait()
                    Pause.$beforeWaiting.withValue({ isAwaiting.open() }) { _ = outcome(own, \.primary) }
                }
                defer { isOver.wait() }
                return own.detail
            }
            #expect(app.result.hasPrefix("cycle: "))
        }
    #endif
}

/// The value, or the code and the path of the error.
private func outcome(
    _ scope: EnvironmentScope,
    _ value: any KeyPath<ScopeValues.Type, ScopeValue<String>> & Sendable
) -> String {
    do throws(ScopeError) { return try scope.value(for: value) } catch {
        return "\(error.code): \(error.path.joined(separator: " → "))"
    }
}
