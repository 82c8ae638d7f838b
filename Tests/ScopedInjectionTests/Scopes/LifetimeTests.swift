import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var one: ScopeValue<BoundService?> { .optional() }
    fileprivate static var other: ScopeValue<BoundService?> { .optional() }
    fileprivate static var below: ScopeValue<ScopeOwner> {
        .lazy(.once(in: .request)) { _ in ScopeOwner(.empty("below")) }
    }
}

/// A way to enter, bind, keep, move or close a scope.
///
/// Its result, and nothing else, is held until the end of the test. The References tests have those that bind references.
struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let use: @Sendable (EnvironmentScope) async -> Any

    init(_ description: String, _ use: @escaping @Sendable (EnvironmentScope) async -> Any) {
        testDescription = description
        self.use = use
    }

    static let all = [
        Way("Entered, also within itself") { scope in scope { scope { EnvironmentScope.current.port } } },
        Way("Entered asynchronously") { scope in
            await scope {
                await Task.yield()
                return EnvironmentScope.current.port
            }
        },
        Way("Entered by a task that goes on") { scope in scope { Task { EnvironmentScope.current.port } } },
        Way("Bound closure that was called") { scope in
            let closure = scope.bind { EnvironmentScope.current.port }
            _ = closure()
            return closure
        },
        Way("Bound asynchronous closure") { $0.bind { () async -> Int in EnvironmentScope.current.port } },
        Way("Stored value that owns a child") { scope in
            scope.owner = ScopeOwner(.empty(parent: scope))
            return 0
        },
        Way("Built value whose builder reads through a reference, and makes a scope") { scope in
            scope.provide(\.owner) { _ in
                _ = Injected(\.port)()
                return ScopeOwner(.empty("made", parent: nil))
            }
            return (scope.owner, EnvironmentScope.empty("child", parent: scope).owner)
        },
        Way("Value that stays and makes a scope below it") { scope in scope.below },
        Way("Decoration") { scope in
            scope.decorate(\.host) { inherited, reader in "\(inherited):\(try reader.port)" }
            return scope.host
        },
        Way("Builder that captures it weakly") { scope in
            scope.provide(\.host) { [weak scope] _ in "\(scope?.port ?? 0)" }
            return scope.host
        },
        Way("Builder that throws") { scope in
            scope.provide(\.host) { _ in throw CancellationError() }
            return (try? scope.value(for: \.host)) as Any
        },
        Way("Cleanup that captures it strongly, closed") { scope in
            scope.onClose { scope.port = 2 }
            await scope.close()
            return scope.isClosed
        },
        Way("Child for an operation") { scope in await scope.withChild("child") { EnvironmentScope.current } },
        Way("Alias, policy, removal") { scope in
            scope.alias(\.one, to: \.other)
            scope.other = BoundService()
            let child = EnvironmentScope.empty(parent: scope, defaults: .forbidden)
            return (child, child.one as Any, scope.removeValue(for: \.other) as Any)
        },
        Way("Error of a read") { scope in
            do throws(ScopeError) { return try scope.value(for: \.token) } catch { return error }
        },
        Way("Description") { "\($0) \(String(reflecting: $0))" },
    ]
}

@Suite("R8: every way to use a scope releases it, its values and what was made of it in the end", .programRoots)
struct LifetimeTests {
    @Test("However it is used", arguments: Way.all) func released(_ way: Way) async {
        let watch = LifetimeWatch()
        do {
            let root = watch.add(EnvironmentScope("root", parent: nil) { $0.port = 1 })
            let scope = watch.add(
                EnvironmentScope("scope", role: .request, parent: root) { $0.anything = watch.add(BoundService()) }
            )
            let held = await way.use(scope)
            if let task = held as? Task<Int, Never> { #expect(await task.value == 1) }
            withExtendedLifetime((root, scope, held)) {}
        }
        #expect(watch.count == 3)
        // A task releases its captures just after it has returned its value.
        for _ in 0..<10_000 where watch.alive > 0 { await Task.yield() }
        #expect(watch.alive == 0)
    }
}
