import ScopedInjection
import Testing

/// A way to store, bind, enter, keep or capture a scope.
///
/// Its result, and nothing else, is held until the end of the test.
struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether the stored value keeps its scope alive by the rules, so that the test has to break the ring.
    let isRing: Bool
    let use: @Sendable (EnvironmentScope) async -> Any

    init(_ description: String, isRing: Bool = false, _ use: @escaping @Sendable (EnvironmentScope) async -> Any) {
        testDescription = description
        self.isRing = isRing
        self.use = use
    }

    private struct Handler { @Injected(\.port) var port }

    private enum KeepingKey: ScopeKey {
        static func makeValue(in scope: EnvironmentScope) -> ScopeOwner {
            _ = scope.port
            return ScopeOwner(scope, .empty("child of a builder's scope", parent: scope), .current)
        }
    }

    private enum ScopeValueKey: ScopeKey {
        static func makeValue(in scope: EnvironmentScope) -> EnvironmentScope { scope }
    }

    static let all = [
        Way("Held by a variable") { $0 },
        Way("Made with a configuration that captures it") { scope in
            EnvironmentScope(parent: scope) { $0.anything = nil }
        },
        Way("Entered") { $0 { EnvironmentScope.current.port } },
        Way("Entered with an argument") { $0 { $0.port } },
        Way("Entered asynchronously") { scope in
            await scope {
                await Task.yield()
                return EnvironmentScope.current.port
            }
        },
        Way("Entered again and again, within itself") { scope in scope { scope { scope { scope.port } } } },
        Way("Entered by a task that goes on") { scope in scope { Task { EnvironmentScope.current.port } } },
        Way("Bound closure") { $0.bind { EnvironmentScope.current.port } },
        Way("Bound closure with arguments that throws") { $0.bind { (number: Int) throws in number } },
        Way("Bound asynchronous closure") { $0.bind { () async -> Int in EnvironmentScope.current.port } },
        Way("Bound closure that was called") { scope in
            let closure = scope.bind { EnvironmentScope.current.port }
            _ = closure()
            return closure
        },
        Way("Reference made with it") { Injected(\.port, scope: $0) },
        Way("Reference to a key made with it") { Injected(key: PortKey.self, scope: $0) },
        Way("Reference by a stored path made with it") { Injected(keyPath: \.port, scope: $0) },
        Way("Reference given it") { scope in
            let reference = Injected(\.port)
            reference.scope = scope
            return reference
        },
        Way("Reference given it after another, and another after it") { scope in
            let reference = Injected(\.port, scope: .empty(parent: nil))
            reference.scope = scope
            reference.scope = EnvironmentScope.empty(parent: scope)
            return reference
        },
        Way("Reference given it and none again") { scope in
            let reference = Injected(\.port, scope: scope)
            reference.scope = nil
            return reference
        },
        Way("Property of a struct, and of its copy") { scope in
            let handler = Handler()
            handler.$port.scope = scope
            return (handler, handler)
        },
        Way("Replaced in an instance") { scope in
            let service = BoundService()
            scope.replace(in: service, options: [.nested, .recursive])
            return service
        },
        Way("Replaced in its own values") { scope in
            scope.service = BoundService()
            scope.replaceInValues(options: [.nested, .recursive])
            return scope.service
        },
        Way("Stored value bound to it", isRing: true) { scope in
            scope.anything = BoundService(scope: scope)
            return WeakService(scope.anything as? BoundService)
        },
        Way("Stored value bound to a child", isRing: true) { scope in
            let service = BoundService(scope: .empty(parent: scope))
            scope.anything = [service]
            return WeakService(service)
        },
        Way("Stored value bound to it without owning") { scope in
            scope.anything = [BoundService()]
            return scope.replaceInValues(options: .nested)
        },
        Way("Stored value bound to a child without owning") { scope in
            let child = EnvironmentScope.empty(parent: scope)
            let service = BoundService()
            scope.anything = [service]
            return (child, child.replace(in: service, options: .unowned))
        },
        Way("Stored value that owns a child") { scope in
            scope.owner = ScopeOwner(.empty(parent: scope))
            return 0
        },
        Way("Built value that keeps its builder's scope, and children of it") { scope in scope[KeepingKey.self] },
        Way("The same, built for a child") { scope in
            let child = EnvironmentScope("child", parent: scope) { $0.port = 2 }
            return (child, child[KeepingKey.self], scope[KeepingKey.self])
        },
        Way("A scope that is a value") { scope in scope[ScopeValueKey.self] },
        Way("Builder that captures it weakly") { scope in
            scope.provide(HostKey.self) { [weak scope] _ in "\(scope?.port ?? 0)" }
            return scope.host
        },
        Way("Builder that throws") { scope in
            scope.provide(HostKey.self) { _ in throw CancellationError() }
            return (try? scope.value(for: HostKey.self)) as Any
        },
        Way("Cleanup that captures it weakly, closed") { scope in
            scope.onClose { [weak scope] in scope?.port = 2 }
            await scope.close()
            return scope.isClosed
        },
        Way("Cleanup that captures it strongly, closed") { scope in
            scope.onClose { scope.port = 2 }
            await scope.close()
            return scope.isClosed
        },
        Way("Child for an operation") { scope in await scope.withChild("child") { EnvironmentScope.current } },
        Way("Parent of a scope that is held, set later") { scope in
            let child = EnvironmentScope.empty(parent: nil)
            child { child.parent = scope }
            return child
        },
        Way("Parent that was replaced") { scope in
            let child = EnvironmentScope.empty(parent: scope)
            _ = child.port
            child { child.parent = .empty(parent: nil) }
            return child
        },
        Way("Alias, policy, removal") { scope in
            scope.alias(OneKey.self, to: OtherKey.self)
            scope[OneKey.self] = BoundService(scope: scope)
            let child = EnvironmentScope.empty(parent: scope, defaults: .forbidden)
            return (child, child[OtherKey.self], scope.removeValue(for: OtherKey.self) as Any)
        },
        Way("Error of a read") { scope in
            do throws(ScopeError) { return try scope.value(for: TokenKey.self) } catch { return error }
        },
        Way("Description") { "\($0) \(String(reflecting: $0))" },
    ]

    private enum OneKey: ScopeKey { typealias Value = BoundService? }
    private enum OtherKey: ScopeKey { typealias Value = BoundService? }
}

@Suite("R8: every way to store, bind, enter, keep or capture a scope releases everything in the end")
struct LifetimeTests {
    @Test("Scope, value and what was made of it", arguments: Way.all)
    func released(_ way: Way) async {
        let watch = LifetimeWatch()
        var ring: WeakService?
        do {
            let root = watch.add(EnvironmentScope("root", parent: nil) { $0.port = 1 })
            let scope = watch.add(EnvironmentScope("scope", parent: root) { $0.anything = watch.add(BoundService()) })
            let held = await way.use(scope)
            if way.isRing { ring = held as? WeakService }
            if let task = held as? Task<Int, Never> { #expect(await task.value == 1) }
            withExtendedLifetime((root, scope, held)) {}
        }
        #expect(watch.count == 3)
        if way.isRing {
            #expect(watch.alive == 2)
            ring?.service?.port.scope = nil
        }
        // A task releases its captures just after it has returned its value.
        for _ in 0..<10_000 where watch.alive > 0 { await Task.yield() }
        #expect(watch.alive == 0)
    }
}
