import ScopedInjection
import Testing

@Suite("R11: an error of a cleanup is told to the observers, and the others still run", .programRoots)
struct CleanupErrorTests {
    private let log = Log()
    private let events: Box<[ScopeEvent]>
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let scope: EnvironmentScope

    init() {
        events = app.events()
        scope = .empty("request", parent: app)
    }

    private func errors(_ kind: ScopeEvent.Kind) -> [(any Error)?] {
        events.value.filter { $0.kind == kind }.map(\.error)
    }

    @Test("Each error is one event, in the order of the cleanups, and the scope is closed") func errors() async {
        let log = log
        for number in 1...4 {
            scope.onClose {
                await Task.yield()
                log.add("\(number)")
                if number.isMultiple(of: 2) { throw Refusal(code: number) }
            }
        }
        await scope.close()
        #expect(log.lines == ["4", "3", "2", "1"])
        #expect(scope.isClosed)
        let kinds = events.value.map(\.kind).filter { $0 != .cleanupBegan }
        #expect(kinds == [.cleanupFailed, .cleanedUp, .cleanupFailed, .cleanedUp])
        #expect(errors(.cleanupFailed).map { $0 as? Refusal } == [Refusal(code: 4), Refusal(code: 2)])
        #expect(events.value.allSatisfy { $0.scope == "request" })
        #expect(events.value[1].description.contains("in \"request\" failed after"))
    }

    @Test("Each error of a cleanup of a value is one event", arguments: [true, false])
    func ofValues(isDiscarded: Bool) async {
        let log = log
        scope.provide(\.host) { reader in
            reader.onClose { log.add("first") }
            reader.onClose { throw Refusal(code: 1) }
            return "host"
        }
        _ = scope.host
        if isDiscarded { await scope.discardBuiltValues() } else { await scope.close() }
        #expect(log.lines == ["first"])
        #expect(errors(.cleanupFailed).map { $0 as? Refusal } == [Refusal(code: 1)])
    }

    @Test("An error of a cleanup does not replace the result, or the error, of an operation in a child")
    func withChild() async {
        let scope = scope
        let result = await scope.withChild { child in
            child.onClose { throw Refusal(code: 1) }
        } operation: {
            "done"
        }
        #expect(result == "done")
        await #expect(throws: Refusal(code: 2)) {
            try await scope.withChild { child in
                child.onClose { throw Refusal(code: 3) }
            } operation: {
                throw Refusal(code: 2)
            }
        }
        #expect(errors(.cleanupFailed).map { $0 as? Refusal } == [Refusal(code: 1), Refusal(code: 3)])
    }

    @Test("Scopes whose cleanups close each other close, and observers are told of the cycle", .timeLimit(.minutes(30)))
    func closingEachOther() async {
        let other = EnvironmentScope.empty("other", parent: app)
        let inCleanup = Box(0)
        for (scope, next) in [(scope, other), (other, scope)] {
            scope.onClose { [unowned next] in
                inCleanup.update { $0 += 1 }
                while inCleanup.value < 2 { await Task.yield() }
                await next.close()
            }
        }
        async let one: Void = scope.close()
        async let two: Void = other.close()
        _ = await (one, two)
        #expect(scope.isClosed)
        #expect(other.isClosed)
        let errors = errors(.cleanupFailed).compactMap { $0 as? ScopeError }
        #expect(!errors.isEmpty && errors.allSatisfy { $0.code == .cycle })
    }
}
