import ScopedInjection

/// A value that refers to a scope, at once or later.
final class BoundService: Sendable {
    let port: Injected<Int>

    init(scope: EnvironmentScope? = nil) { port = Injected(\.port, scope: scope) }
}

/// A value that owns scopes.
final class ScopeOwner: Sendable {
    let scopes: [EnvironmentScope]

    init(_ scopes: EnvironmentScope...) { self.scopes = scopes }
}

/// Objects that are held weakly, to see whether they are alive.
final class LifetimeWatch {
    private struct Entry { weak var object: AnyObject? }
    private var entries: [Entry] = []

    @discardableResult
    func add<Object: AnyObject>(_ object: Object) -> Object {
        entries.append(Entry(object: object))
        return object
    }

    var count: Int { entries.count }
    var alive: Int { entries.count { $0.object != nil } }
}

/// A chain of three scopes, outer, middle and inner, of which the outer one has a port.
struct ThreeLevels {
    var outer: EnvironmentScope?
    var middle: EnvironmentScope?
    var inner: EnvironmentScope?

    init(_ watch: LifetimeWatch) {
        let outer = watch.add(EnvironmentScope("outer", parent: nil) { $0.port = 1 })
        let middle = watch.add(EnvironmentScope.empty("middle", parent: outer))
        self.outer = outer
        self.middle = middle
        inner = watch.add(EnvironmentScope.empty("inner", parent: middle))
    }

    /// Keeps the whole chain alive while `body` takes its innermost scope.
    static func with(_ watch: LifetimeWatch, _ body: (EnvironmentScope) -> Void) {
        let levels = ThreeLevels(watch)
        withExtendedLifetime(levels) { levels.inner.map(body) }
    }

    mutating func release() {
        outer = nil
        middle = nil
        inner = nil
    }
}

extension ScopeValues {
    static var service: ScopeValue<BoundService> { .lazy { _ in BoundService() } }
    static var owner: ScopeValue<ScopeOwner> { .required() }
    static var anything: ScopeValue<(any Sendable)?> { .optional() }
}
