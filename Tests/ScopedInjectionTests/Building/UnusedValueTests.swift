import ScopedInjection
import Testing

/// Runs a closure when it goes.
private final class Farewell: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}

private struct Refusal: Error { let farewell: Farewell }

extension ScopeValues {
    fileprivate static let level = ScopeValue(0)
    fileprivate static let goodbyes = ScopeValue(0)
    fileprivate static let guest = ScopeValue<Farewell>.required()
    fileprivate static let curiosity = ScopeValue<any Sendable>.required()
    fileprivate static let report = ScopeValue<String>.required()
}

@Suite("R2, R5: what a builder returns or throws, and nobody is given")
struct UnusedValueTests {
    private let app = EnvironmentScope("app", parent: nil) { $0[ScopeValues.level] = 0 }
    private let stats = EnvironmentScope.empty("stats", parent: nil)
    private let guests = Box(0)
    private let reports = Box(0)

    /// What becomes of the first guest.
    enum Fate: CaseIterable { case overtaken, overtakenError, refused }

    /// Provides a guest that nobody is given the first time, and a report that needs the guest.
    private func provide(_ fate: Fate, isOfLevel: Bool, _ farewell: @escaping @Sendable () -> Void) async {
        let (guests, reports) = (guests, reports)
        let closed = EnvironmentScope("closed", parent: app) { $0.port = 1 }
        if fate == .refused { await closed.close() }
        app.provide(ScopeValues.guest) { [unowned app] scope in
            let level = scope[ScopeValues.level]
            if fate == .refused { _ = scope.port }
            let isFirst = guests.update {
                $0 += 1
                return $0 == 1
            }
            guard isFirst else { return Farewell {} }
            if fate != .refused { onThread { app[ScopeValues.level] = level + 1 }.wait() }
            if fate == .overtakenError { throw Refusal(farewell: Farewell(farewell)) }
            return Farewell(farewell)
        }
        app.provide(ScopeValues.report) { scope in
            reports.update { $0 += 1 }
            let level = isOfLevel ? scope[ScopeValues.level] : 0
            if fate == .refused {
                #expect(throws: ScopeError.self) { try closed.value(for: ScopeValues.guest) }
            } else {
                _ = try scope.value(for: ScopeValues.guest)
            }
            return isOfLevel ? "\(level) and \(scope[ScopeValues.level])" : ""
        }
    }

    @Test(
        "A read mixes no two moments, though its deinit sets a value elsewhere",
        arguments: [Fate.overtaken, .overtakenError]
    )
    func setting(fate: Fate) async throws {
        let stats = stats
        await provide(fate, isOfLevel: true) { stats[ScopeValues.goodbyes] = 1 }
        #expect(try app.value(for: ScopeValues.report) == "1 and 1")
        #expect(stats[ScopeValues.goodbyes] == 1)
        #expect(reports.value == 2)
    }

    @Test("What its deinit reads is no input of the builder that needed it", arguments: Fate.allCases)
    func reading(fate: Fate) async throws {
        let stats = stats
        await provide(fate, isOfLevel: false) { _ = stats[ScopeValues.goodbyes] }
        _ = try app.value(for: ScopeValues.report)
        #expect(reports.value == 1)
        stats[ScopeValues.goodbyes] = 1
        _ = try app.value(for: ScopeValues.report)
        #expect(reports.value == 1)
    }

    @Test(
        "What goes when a kept value stops owning its scope is no input either, nor what its mirror reads",
        arguments: [true, false]
    )
    func keeping(isMirror: Bool) throws {
        final class Service: Sendable { let port = Injected(\.port) }
        struct Curious: CustomReflectable, Sendable {
            let body: @Sendable () -> Void
            var customMirror: Mirror {
                body()
                return Mirror(self, children: [])
            }
        }
        let bound = EnvironmentScope.empty("bound", parent: app)
        let service = Service()
        bound.replace(in: service)
        let stats = stats
        app.provide(ScopeValues.curiosity) { [unowned app] _ -> any Sendable in
            if isMirror { return Curious { _ = stats[ScopeValues.goodbyes] } }
            let service = Service()
            let below = EnvironmentScope("below", parent: app) {
                $0[ScopeValues.guest] = Farewell { _ = stats[ScopeValues.goodbyes] }
            }
            below.replace(in: service)
            return service
        }
        let reports = reports
        app.provide(ScopeValues.report) { scope in
            reports.update { $0 += 1 }
            _ = scope[ScopeValues.curiosity]
            return ""
        }
        _ = try app.value(for: ScopeValues.report)
        stats[ScopeValues.goodbyes] = 1
        _ = try app.value(for: ScopeValues.report)
        #expect(reports.value == 1)
    }
}
