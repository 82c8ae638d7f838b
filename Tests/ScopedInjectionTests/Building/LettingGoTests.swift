import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var url: ScopeValue<String> { .value("default") }
    fileprivate static var pool: ScopeValue<Product> { .lazy { Product(try $0.url) } }
    fileprivate static var page: ScopeValue<Product> { .lazy { Product(try $0.pool.text) } }
}

/// How a scope comes to let go of a value.
private enum Release: CaseIterable {
    case replaced, removed, overriddenByBuilder, scopeGone

    func perform(on scope: inout EnvironmentScope?, new: BoundService) {
        switch self {
        case .replaced: scope?.service = new
        case .removed: scope?.removeValue(for: \.service)
        case .overriddenByBuilder: scope?.provide(\.service) { _ in new }
        case .scopeGone: scope = nil
        }
    }
}

@Suite("R3: what was replaced is let go of at once, what is out of date at the next change or read", .programRoots)
struct LettingGoTests {
    // MARK: At once

    @Test("A value that was set", arguments: Release.allCases, [true, false])
    fileprivate func set(_ release: Release, isReadFromChild: Bool) {
        let watch = LifetimeWatch()
        var scope: EnvironmentScope? = EnvironmentScope("scope", parent: nil) { $0.service = watch.add(BoundService()) }
        let child = EnvironmentScope.empty("child", parent: scope)
        if isReadFromChild { _ = child.service }
        #expect(watch.alive == 1)
        release.perform(on: &scope, new: BoundService())
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
        release.perform(on: &scope, new: BoundService())
        #expect(watch.alive == 0)
    }

    @Test("A built value with a cleanup when the scope is closed, but not a set one") func closed() async {
        let (built, set) = (LifetimeWatch(), LifetimeWatch())
        let scope = EnvironmentScope("scope", parent: nil) { $0.owner = set.add(ScopeOwner()) }
        scope.provide(\.service) { $0.withCleanup(BoundService()) }
        do { built.add(scope.service) }
        #expect(built.alive == 1)
        await scope.close()
        #expect(built.alive == 0)
        #expect(set.alive == 1)
    }

    @Test("An error that a builder threw, once the reader has let go of it") func thrown() {
        final class Failure: Error {}
        let watch = LifetimeWatch()
        let failure = Box<Failure?>(watch.add(Failure()))
        let scope = EnvironmentScope.empty("scope", parent: nil)
        scope.provide(\.service) { _ in throw failure.update { $0.take() } ?? Failure() }
        do {
            let error = #expect(throws: ScopeError.self) { try scope.value(for: \.service) }
            #expect(error?.underlyingError is Failure)
            #expect(watch.alive == 1)
        }
        #expect(watch.alive == 0)
    }

    // MARK: When next changed or read

    @Test("A value that is out of date goes when anything else is read there that has to be found anew")
    func readOfAnother() {
        let scope = EnvironmentScope("scope", parent: nil) { $0.url = "one" }
        weak let old = scope.pool
        scope.url = "two"
        _ = scope.service
        #expect(old == nil)
    }

    @Test("A value that is out of date goes when the scope is changed again", arguments: [true, false])
    func change(isOfInput: Bool) {
        let scope = EnvironmentScope("scope", parent: nil) { $0.url = "one" }
        weak let old = scope.page
        scope.url = "two"
        if isOfInput { scope.url = "three" } else { scope.port = 1 }
        #expect(old == nil)
    }

    @Test("What an override above makes out of date goes when the scope is changed or read", arguments: [true, false])
    func changedAbove(isRead: Bool) {
        let app = EnvironmentScope("app", parent: nil) { $0.url = "one" }
        let request = EnvironmentScope.empty("request", parent: app)
        request.provide(\.pool) { Product(try $0.url) }
        weak let old = request.pool
        #expect(old != nil)
        app.url = "two"
        if isRead { _ = request.pool } else { request.port = 1 }
        #expect(old == nil)
    }

    @Test("A value whose deinit uses the scope that held it, and others", arguments: Release.allCases)
    fileprivate func deinitUsesScope(_ release: Release) {
        let other = EnvironmentScope("other", parent: nil) { $0.port = 1 }
        var scope: EnvironmentScope? = EnvironmentScope.empty("scope", parent: nil)
        let child = EnvironmentScope.empty("child", parent: scope)
        scope?.anything = Farewell { [weak scope] in
            other.port += 1
            scope?.port = other.port
        }
        #expect(child.anything != nil)
        switch release {
        case .replaced: scope?.anything = nil
        case .removed: scope?.removeValue(for: \.anything)
        case .overriddenByBuilder: scope?.provide(\.anything) { _ in nil }
        case .scopeGone: scope = nil
        }
        #expect(other.port == 2)
        #expect(scope?.port == (release == .scopeGone ? nil : 2))
    }
}
