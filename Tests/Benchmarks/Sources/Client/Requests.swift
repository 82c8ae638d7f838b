internal import BlackHole
public import ScopedInjection

/// What a server does with a scope for each request, `count` times one after the other.
public struct Requests: Sendable {
    @Injected(\.port) var port
    @Injected(\.service) var service
    let references = FiveReferences()

    /// Creates the references that requests read.
    public init() {}

    /// Makes a scope without values.
    @inline(never)
    public static func makeEmpty(under parent: EnvironmentScope?, _ count: Int) {
        for _ in 0..<count { use(.empty("request", parent: parent)) }
    }

    /// Makes a scope with one value, and neither enters nor reads it.
    @inline(never)
    public static func makeWithOneValue(under parent: EnvironmentScope?, _ count: Int) {
        for _ in 0..<count { use(withOneValue(under: parent)) }
    }

    /// Makes a scope with one value, enters it and reads one value.
    @inline(never)
    public func serveOneValue(under parent: EnvironmentScope, _ count: Int) {
        for _ in 0..<count {
            let request = Self.withOneValue(under: parent)
            request { blackHole(port) }
        }
    }

    /// Makes a scope with one value by `withChild`, and reads it there.
    @inline(never)
    public nonisolated(nonsending) func serveWithChild(of parent: EnvironmentScope, _ count: Int) async {
        for _ in 0..<count {
            await parent.withChild("request") {
                $0.port = 1
            } operation: {
                blackHole(port)
            }
        }
    }

    /// Makes a scope with one object, enters it and reads it.
    @inline(never)
    public func serveOneObject(under parent: EnvironmentScope, _ count: Int) {
        let object = Service(number: 2)
        for _ in 0..<count {
            let request = EnvironmentScope("request", parent: parent) { $0.service = object }
            request { blackHole(service.number) }
        }
    }

    /// Makes a scope with five values, enters it and reads twenty times.
    @inline(never)
    public func serveFiveValues(under parent: EnvironmentScope, _ count: Int) {
        for _ in 0..<count {
            let request = EnvironmentScope("request", parent: parent) {
                $0.port = 1
                $0.adminPort = 2
                $0.limit = 3
                $0.timeout = 4
                $0.retries = 5
            }
            request {
                for _ in 0..<4 { references.readOnce() }
            }
        }
    }

    /// Enters a scope that is there and reads one value.
    @inline(never)
    public func enter(_ scope: EnvironmentScope, _ count: Int) {
        for _ in 0..<count { scope { blackHole(port) } }
    }

    /// Makes a scope with one value and those of `NumberedKeys`, so that there are `values` in all.
    @inline(never)
    public static func make(values: Int, under parent: EnvironmentScope?, _ count: Int) {
        for _ in 0..<count { use(with(values: values, under: parent)) }
    }

    /// Makes a scope and reads a default, which is thereby built and kept in it.
    @inline(never)
    public static func makeAndBuild(_ count: Int) {
        for _ in 0..<count {
            let scope = EnvironmentScope.empty("lone", parent: nil)
            blackHole(scope.constant)
        }
    }

    /// Makes a scope with one value and reads a default that is built from it.
    @inline(never)
    public static func makeAndDerive(_ count: Int) {
        for _ in 0..<count {
            let scope = withOneValue(under: nil)
            blackHole(scope.derived.number)
        }
    }

    /// Makes a scope with one value.
    @inline(never)
    public static func withOneValue(under parent: EnvironmentScope?) -> EnvironmentScope {
        EnvironmentScope("request", parent: parent) { $0.port = 2 }
    }

    /// Makes a scope with `values` values, `port` being one of them.
    @inline(never)
    public static func with(values: Int, under parent: EnvironmentScope?) -> EnvironmentScope {
        EnvironmentScope("request", parent: parent) {
            $0.port = 2
            NumberedKeys.set(values - 1, in: $0)
        }
    }

    @inline(never)
    private static func use(_ scope: EnvironmentScope) {
        blackHole(Int(bitPattern: ObjectIdentifier(scope)))
    }
}

/// What happens to a scope that lives long, `count` times one after the other.
public enum Changes {
    /// Sets a key that is set already.
    @inline(never)
    public static func set(_ scope: EnvironmentScope, _ count: Int) {
        for number in 0..<count { scope.port = number }
    }

    /// Sets a key and removes it.
    @inline(never)
    public static func setAndRemove(_ scope: EnvironmentScope, _ count: Int) {
        for number in 0..<count {
            scope.port = number
            scope.removeValue(for: \.port)
        }
    }

    /// Sets a key and reads, further in, the value that is built from it.
    @inline(never)
    public static func setAndRebuild(_ scope: EnvironmentScope, readIn child: EnvironmentScope, _ count: Int) {
        for number in 0..<count {
            scope.port = number
            blackHole(child.derived.number)
        }
    }

    /// Reads, sets one key and rebuilds what depends on it.
    @inline(never)
    public static func readSetAndRebuild(_ scope: EnvironmentScope, readIn child: EnvironmentScope, _ count: Int) {
        for number in 0..<count {
            scope.port = number
            blackHole(child.port &+ child.service.number &+ child.derived.number)
        }
    }

    /// Gives all references in an instance the scope.
    @inline(never)
    public static func replace(in instance: Any, by scope: EnvironmentScope, _ options: ReplaceOptions, _ count: Int) {
        for _ in 0..<count { blackHole(scope.replace(in: instance, options: options)) }
    }
}
