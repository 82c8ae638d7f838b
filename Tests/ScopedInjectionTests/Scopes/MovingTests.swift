import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var built: ScopeValue<Product> { .lazy { Product("port \(try $0.port)") } }
    /// Built from nothing that a scope decides on.
    fileprivate static var pool: ScopeValue<Product> { .lazy { _ in Product("pool") } }
    fileprivate static var onPool: ScopeValue<[Product]> { .lazy { [try $0.pool, Product("port \(try $0.port)")] } }
    fileprivate static var onBuilt: ScopeValue<[Product]> { .lazy { [try $0.built, Product(try $0.host)] } }
    fileprivate static var mine: ScopeValue<Product> { .lazy(.scoped) { _ in Product("mine") } }
}

#if DEBUG
    private let rounds = 500
#else
    private let rounds = 5_000
#endif

@Suite("R8: a new parent changes at once what a scope and those below it read")
struct MovingTests {
    private let first = EnvironmentScope("first", parent: nil) { $0.port = 1 }
    private let second = EnvironmentScope("second", parent: nil) { $0.port = 2 }

    @Test("Values, built ones, and references")
    func reads() {
        let scope = EnvironmentScope.empty("scope", parent: first)
        let child = EnvironmentScope.empty("child", parent: scope)
        let port = Injected(\.port, scope: child)
        #expect((child.port, child.built.text, port()) == (1, "port 1", 1))
        scope.parent = second
        #expect((child.port, child.built.text, port()) == (2, "port 2", 2))
        #expect(child.built === second.built)
        scope.parent = nil
        #expect((child.port, child.built.text, port()) == (8080, "port 8080", 8080))
        scope.parent = first
        #expect(child.built === first.built)
        #expect(scope.parent === first)
        #expect("\(child)" == #"EnvironmentScope("child" → "scope" → "first")"#)
    }

    @Test("The same parent changes nothing: what the scope has built stays")
    func sameParent() {
        let scope = EnvironmentScope("scope", parent: first) { $0.provide(\.built) { _ in Product("own") } }
        let root = EnvironmentScope.empty("root", parent: nil)
        let (own, ofRoot) = (scope.built, root.built)
        scope.parent = first
        root.parent = nil
        #expect(scope.built === own)
        #expect(root.built === ofRoot)
        scope.parent = second
        #expect(scope.built === own)
    }

    @Test("What was built from what is decided in the scope, or within, stays")
    func decidedWithin() {
        let scope = EnvironmentScope("scope", parent: first) { $0.port = 3 }
        let child = EnvironmentScope("child", parent: scope) { $0.host = "child" }
        let (built, mine, ofChild) = (scope.built, scope.mine, child.onBuilt)
        scope.parent = second
        #expect(scope.built === built)
        #expect(scope.mine === mine)
        #expect(child.onBuilt[1] === ofChild[1] && ofChild[0] === built)
        scope.parent = nil
        #expect(scope.built === built)
        #expect(child.onBuilt[1] === ofChild[1])
        // What the new chain decides otherwise is built anew.
        second.provide(\.built) { _ in Product("another") }
        scope.parent = second
        #expect(child.onBuilt[0] === second.built)
    }

    @Test("What was built from a value that the former chain keeps is built anew, in the scope and within")
    func keptFurtherOut() {
        let scope = EnvironmentScope("scope", parent: first) { $0.port = 3 }
        let child = EnvironmentScope("child", parent: scope) { $0.port = 4 }
        #expect(scope.onPool[0] === first.pool && child.onPool[0] === first.pool)
        scope.parent = second
        #expect(scope.onPool[0] === second.pool)
        #expect(child.onPool[0] === second.pool)
    }

    @Test("What a scope without a parent has built for all is its new parent's")
    func formerRoot() {
        let scope = EnvironmentScope("scope", parent: nil) { $0.port = 3 }
        let (pool, built) = (scope.pool, scope.built)
        scope.parent = first
        #expect(scope.pool === first.pool)
        #expect(scope.pool !== pool)
        #expect(scope.built === built)
    }

    @Test("A new parent is seen in code that has entered the scope, and while it is configured")
    func entered() {
        let scope = EnvironmentScope.empty("scope", parent: first)
        let child = EnvironmentScope.empty("child", parent: scope)
        child {
            #expect(Injected(\.port)() == 1)
            scope.parent = second
            #expect(Injected(\.port)() == 2)
        }
        _ = EnvironmentScope("configured", parent: scope) { configured in
            scope.parent = first
            #expect(configured.port == 1)
        }
    }

    @Test("Threads that read see one parent or the other", arguments: [true, false])
    func readers(isBuilt: Bool) async {
        let scope = EnvironmentScope.empty("scope", parent: first)
        let child = EnvironmentScope.empty("child", parent: scope)
        let (first, second) = (first, second)
        await onThreads(3) { index in
            for round in 0..<rounds {
                if index == 0 {
                    scope.parent = round.isMultiple(of: 2) ? second : first
                } else if isBuilt {
                    let text = givenDespiteChanges { try child.value(for: \.built).text }
                    if ![nil, "port 1", "port 2"].contains(text) { Issue.record("another value") }
                } else if !(1...2).contains(child.port) {
                    Issue.record("another value")
                }
            }
        }
    }

    @Test("Children are made while the parent of their parent is changed")
    func children() async {
        let scope = EnvironmentScope.empty("scope", parent: nil)
        await onThreads(2) { index in
            for _ in 0..<rounds {
                if index == 0 {
                    scope.parent = EnvironmentScope.empty("other", parent: nil)
                } else {
                    let child = EnvironmentScope("child", parent: scope) { $0.port = 3 }
                    if child.port != 3 { Issue.record("another value") }
                }
            }
        }
    }
}
