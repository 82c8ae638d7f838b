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

    /// Makes a scope with one value and those of `NumberedValues`, so that there are `values` in all.
    @inline(never)
    public static func make(values: Int, under parent: EnvironmentScope?, _ count: Int) {
        for _ in 0..<count { use(with(values: values, under: parent)) }
    }

    /// Makes a scope without a parent, and reads a constant that nobody set.
    @inline(never)
    public static func makeAndReadConstant(_ count: Int) {
        for _ in 0..<count {
            let scope = EnvironmentScope.empty("lone", parent: nil)
            blackHole(scope.constant)
            use(scope)
        }
    }

    /// Makes a scope with one value and reads a value that is built from it.
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
            NumberedValues.set(values - 1, in: $0)
        }
    }

    @inline(never)
    private static func use(_ scope: EnvironmentScope) {
        blackHole(Int(bitPattern: ObjectIdentifier(scope)))
    }
}
