import Foundation
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

    @Test("What a build threw, if a scope given to or made by a build within is kept", arguments: [true, false])
    func outerBuild(isMade: Bool) {
        struct Failure: Error { let cause: ScopeOwner? }
        enum InnerKey: ScopeKey { typealias Value = ScopeOwner }
        enum OuterKey: ScopeKey { typealias Value = Int }
        let watch = LifetimeWatch()
        let cause = Box<ScopeOwner?>(ScopeOwner())
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(InnerKey.self) { scope in ScopeOwner(isMade ? .empty("made", parent: nil) : scope) }
        app.provide(OuterKey.self) { scope in
            _ = try scope.value(for: InnerKey.self)
            throw Failure(cause: cause.value)
        }
        #expect(throws: ScopeError.self) { try app.value(for: OuterKey.self) }
        do { cause.value.map { _ = watch.add($0) } }
        cause.value = nil
        #expect(app.localValue(for: InnerKey.self)?.scopes.count == 1)
        #expect(watch.count == 1)
        #expect(watch.alive == 0)
    }

    private struct KeepingFailure: Error { let owner: ScopeOwner }

    @Test("What a build threw, if that keeps a scope given to or made by the builder", arguments: [true, false])
    func failure(isMade: Bool) {
        let owners = Box<[ScopeOwner]>([])
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(PortKey.self) { scope in
            let owner = ScopeOwner(isMade ? .empty("made", parent: nil) : scope)
            owners.update { $0.append(owner) }
            throw KeepingFailure(owner: owner)
        }
        #expect(throws: ScopeError.self) { try app.value(for: PortKey.self) }
        Self.expectRelease(of: owners)
    }

    @Test("What a build threw, if other reads wait for it")
    func sharedFailure() {
        // A waiting thread cannot be seen from outside, so there are several rounds.
        for _ in 0..<50 {
            let owners = Box<[ScopeOwner]>([])
            let probe = Probe()
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(PortKey.self) { scope in
                probe.noteBuild()
                let owner = ScopeOwner(scope)
                owners.update { $0.append(owner) }
                throw KeepingFailure(owner: owner)
            }
            let first = onThread { #expect(throws: ScopeError.self) { try app.value(for: PortKey.self) } }
            probe.started.wait()
            let asked = Gate()
            let second = onThread {
                asked.open()
                #expect(throws: ScopeError.self) { try app.value(for: PortKey.self) }
            }
            asked.wait()
            for _ in 0..<10 { sched_yield() }
            probe.mayEnd.open()
            first.wait()
            second.wait()
            Self.expectRelease(of: owners)
        }
    }

    /// Expects that nothing else keeps the objects.
    private static func expectRelease(of owners: Box<[ScopeOwner]>) {
        let watch = LifetimeWatch()
        for owner in owners.value { watch.add(owner) }
        #expect(watch.count > 0)
        owners.value = []
        #expect(watch.alive == 0)
    }

    @Test("The result is released with the deferred value")
    func resultOfDeferred() async throws {
        final class Part: Sendable {
            private let gone: Barrier
            init(gone: Barrier) { self.gone = gone }
            deinit { gone.open() }
        }
        let gone = Barrier()
        weak var watched: Part?
        do {
            let deferred = Deferred { Part(gone: gone) }
            watched = try await deferred()
            withExtendedLifetime(deferred) { #expect(watched != nil) }
        }
        await gone.pass()
        #expect(watched == nil)
    }
}
