import ScopedInjection
import Testing

/// How a value is released.
private enum Release: CaseIterable {
    case replaced, removed, allRemoved, overriddenByBuilder, scopeGone

    func perform<Key: ScopeKey>(on scope: inout EnvironmentScope?, _ key: Key.Type, new: Key.Value) {
        switch self {
        case .replaced: scope?[key] = new
        case .removed: scope?.removeValue(for: key)
        case .allRemoved: scope?.removeAll()
        case .overriddenByBuilder: scope?.provide(key) { _ in new }
        case .scopeGone: scope = nil
        }
    }
}

@Suite("R8: values are released at once")
struct ReleaseTests {
    @Test("A value that was set", arguments: Release.allCases, [true, false])
    fileprivate func set(_ release: Release, isReadFromChild: Bool) {
        let watch = LifetimeWatch()
        var scope: EnvironmentScope? = EnvironmentScope("scope", parent: nil) { $0.service = watch.add(BoundService()) }
        let child = EnvironmentScope.empty("child", parent: scope)
        if isReadFromChild { _ = child.service }
        #expect(watch.alive == 1)
        release.perform(on: &scope, BoundServiceKey.self, new: BoundService())
        #expect(watch.alive == 0)
    }

    @Test("A value that was built", arguments: Release.allCases, [true, false])
    fileprivate func built(_ release: Release, isReadFromChild: Bool) {
        let watch = LifetimeWatch()
        var scope: EnvironmentScope? = EnvironmentScope.empty("scope", parent: nil)
        let child = EnvironmentScope.empty("child", parent: scope)
        if isReadFromChild { watch.add(child.service) }
        if let scope { watch.add(scope.service) }
        #expect(watch.alive == watch.count)
        release.perform(on: &scope, BoundServiceKey.self, new: BoundService())
        #expect(watch.alive == 0)
    }

    @Test("An error that a builder threw, once the reader has let go of it")
    func thrown() {
        final class Failure: Error {}
        final class Trace: @unchecked Sendable { weak var failure: Failure? }
        let trace = Trace()
        let scope = EnvironmentScope.empty("scope", parent: nil)
        scope.provide(BoundServiceKey.self) { _ in
            let failure = Failure()
            trace.failure = failure
            throw failure
        }
        do {
            _ = try scope.value(for: BoundServiceKey.self)
        } catch {
            #expect(error.underlyingError as? Failure === trace.failure)
            #expect(trace.failure != nil)
        }
        #expect(trace.failure == nil)
    }

    @Test("A built value when the scope is closed, but not a set one")
    func closed() async {
        let watch = LifetimeWatch()
        let set = LifetimeWatch()
        let scope = EnvironmentScope("scope", parent: nil) { $0.owner = set.add(ScopeOwner()) }
        do { watch.add(scope.service) }
        #expect(watch.alive == 1)
        await scope.close()
        #expect(watch.alive == 0)
        #expect(set.alive == 1)
    }

    @Test("Only the last of many replaced values is alive")
    func manyReplacements() {
        let watch = LifetimeWatch()
        let scope = EnvironmentScope.empty("scope", parent: nil)
        for _ in 0..<100 { scope.service = watch.add(BoundService()) }
        #expect(watch.count == 100)
        #expect(watch.alive == 1)
    }

    @Test("A value whose deinit uses the scope that held it, and others", arguments: Release.allCases)
    fileprivate func deinitUsesScope(_ release: Release) {
        final class Farewell: Sendable {
            weak let scope: EnvironmentScope?
            let other: EnvironmentScope
            init(_ scope: EnvironmentScope?, _ other: EnvironmentScope) {
                self.scope = scope
                self.other = other
            }
            deinit {
                other.port += 1
                scope?.port = other.port
            }
        }
        let other = EnvironmentScope("other", parent: nil) { $0.port = 1 }
        var scope: EnvironmentScope? = EnvironmentScope.empty("scope", parent: nil)
        let child = EnvironmentScope.empty("child", parent: scope)
        scope?.anything = Farewell(scope, other)
        #expect(child.anything != nil)
        release.perform(on: &scope, SendableKey.self, new: nil)
        #expect(other.port == 2)
        #expect(scope?.port == (release == .scopeGone ? nil : 2))
    }

    @Test("A built value that keeps its builder's scope does not keep the scope that keeps the value")
    func builderScope() {
        enum KeepingKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> ScopeOwner {
                _ = scope.port
                return ScopeOwner(scope)
            }
        }
        let watch = LifetimeWatch()
        var worker: ScopeOwner?
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.port = 1 })
            let request = watch.add(EnvironmentScope.empty("request", parent: app))
            worker = request[KeepingKey.self]
            #expect(worker?.scopes.map(\.port) == [1])
        }
        #expect(worker?.scopes.isEmpty == false)
        #expect(watch.alive == 0)
    }
}
