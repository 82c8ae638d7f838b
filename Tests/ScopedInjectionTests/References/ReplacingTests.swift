import ScopedInjection
import Testing

// Values with references in all the places in which reflection finds them.

private struct Plain: Sendable {
    @Injected(\.port) var port
    @Injected(\.host) var host
    let number = 1
}

private class Base {
    @Injected(\.port) var port
    let constant = Injected(\.host)
}

private class Middle: Base { var text = "" }

private final class Derived: Middle { @Injected(\.port) var own }

private struct Hashed: Hashable {
    let leaf: Leaf
    static func == (lhs: Hashed, rhs: Hashed) -> Bool { lhs.leaf === rhs.leaf }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(leaf)) }
}

private enum Payload {
    case leaf(Leaf)
    case labelled(name: String, leaf: Leaf)
    indirect case nested(Payload)
}

/// The place of a leaf in a holder, out of reach without `.nested`.
private enum Nesting: CaseIterable {
    case structure, object, tuple, optional, doubleOptional, array, dictionaryValue, dictionaryKey, set
    case payload, labelledPayload, indirectPayload, existential, superclass, lazyProperty

    private struct Structure { let leaf: Leaf }
    private struct Tuple { let tuple: (Int, inner: (String, Leaf)) }
    private class Parent {
        let leaf: Leaf
        init(_ leaf: Leaf) { self.leaf = leaf }
    }
    private final class Child: Parent { let text = "" }
    private struct Lazy { lazy var leaf = Leaf() }

    /// A holder with the leaf in one of its properties.
    func holder(of leaf: Leaf) -> Any {
        struct Holder { let content: Any }
        switch self {
        case .structure: return Holder(content: Structure(leaf: leaf))
        case .object: return Holder(content: Parent(leaf))
        case .tuple: return Holder(content: Tuple(tuple: (1, inner: ("", leaf))))
        case .optional: return Holder(content: Leaf?.some(leaf) as Any)
        case .doubleOptional: return Holder(content: Leaf??.some(leaf) as Any)
        case .array: return Holder(content: [leaf])
        case .dictionaryValue: return Holder(content: ["": [leaf]])
        case .dictionaryKey: return Holder(content: [Hashed(leaf: leaf): ""])
        case .set: return Holder(content: [Hashed(leaf: leaf)] as Set)
        case .payload: return Holder(content: Payload.leaf(leaf))
        case .labelledPayload: return Holder(content: Payload.labelled(name: "", leaf: leaf))
        case .indirectPayload: return Holder(content: Payload.nested(.nested(.leaf(leaf))))
        case .existential: return Holder(content: leaf as any Sendable as Any)
        case .superclass: return Holder(content: Child(leaf))
        case .lazyProperty:
            var lazy = Lazy()
            lazy.leaf = leaf
            return Holder(content: lazy)
        }
    }
}

@Suite("R9: replace(in:) sets the scope of an instance's references", .programRoots)
struct ReplacingTests {
    private let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }

    @Test("Of a struct") func structure() {
        let plain = Plain()
        let copy = plain
        #expect(scope.replace(in: plain) == 2)
        #expect(plain.port == 1)
        #expect(copy.$host.scope === scope)
    }

    @Test("Of a class with those of its superclasses") func inherited() {
        let derived = Derived()
        #expect(scope.replace(in: derived) == 3)
        #expect(derived.own == 1)
        #expect(derived.port == 1)
        #expect(derived.constant.scope === scope)
    }

    @Test("Of a reference itself") func reference() {
        let port = Injected(\.port)
        #expect(scope.replace(in: port) == 1)
        #expect(port() == 1)
    }

    @Test("Of a tuple's parts that are references") func tuple() {
        let port = Injected(\.port)
        let host = Injected(\.host)
        #expect(scope.replace(in: (port, 1, host)) == 2)
        #expect(port.scope === scope)
        #expect(host.scope === scope)
    }

    @Test("Of several instances") func several() {
        let leaves = (0..<5).map { _ in Leaf() }
        #expect(scope.replace(in: leaves[0], leaves[1]) == 2)
        #expect(scope.replace(in: leaves[0], Plain(), leaves[2], 1, options: []) == 4)
        #expect(scope.replace(in: leaves[3], leaves[4], leaves[0], options: .nested) == 3)
        #expect(leaves.allSatisfy { $0.port.scope === scope })
    }

    @Test("Of the elements of a sequence") func sequence() {
        let leaves = (0..<3).map { _ in Leaf() }
        #expect(scope.replace(in: leaves) == 3)
        #expect(leaves.allSatisfy { $0.port.scope === scope })
        let others = (0..<3).map { _ in Leaf() }
        #expect(scope.replace(in: others.lazy.map { $0 as Any }) == 3)
        #expect(scope.replace(in: Set(others.map(Hashed.init)), options: .nested) == 3)
        #expect(scope.replace(in: [] as [Leaf]) == 0)
        #expect(scope.replace(in: [Derived(), Plain(), Leaf()] as [Any]) == 6)
    }

    @Test("From another scope, or from none") func rebinding() {
        let other = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        let leaf = Leaf(scope: other)
        #expect(leaf.port() == 2)
        #expect(scope.replace(in: leaf) == 1)
        #expect(leaf.port() == 1)
        #expect(scope.replace(in: leaf) == 1)
        #expect(other.replace(in: leaf) == 1)
        #expect(leaf.port() == 2)
    }

    @Test("A reference that is found twice is counted once") func countedOnce() {
        let leaf = Leaf()
        let plain = Plain()
        let copy = plain
        #expect(scope.replace(in: leaf, leaf) == 1)
        #expect(scope.replace(in: [leaf, leaf, leaf]) == 1)
        #expect(scope.replace(in: plain, copy) == 2)
        #expect(scope.replace(in: ["": [leaf, leaf]] as Any, options: .nested) == 1)
    }

    @Test("An instance without references is left alone") func nothing() {
        struct Empty {}
        final class EmptyObject {}
        #expect(scope.replace(in: Empty()) == 0)
        #expect(scope.replace(in: EmptyObject(), options: [.nested, .recursive]) == 0)
        #expect(scope.replace(in: 1, "text", [1: 2], options: .nested) == 0)
        #expect(scope.replace(in: Leaf.self as Any, options: .nested) == 0)
        #expect(scope.replace(in: { 1 } as () -> Int, options: .nested) == 0)
        #expect(EnvironmentScope.empty(parent: nil).replaceInValues(options: .nested) == 0)
    }

    @Test("The walk does not go into scopes") func scopes() {
        struct Holder { let scope: EnvironmentScope }
        let leaf = Leaf()
        let other = EnvironmentScope("other", parent: nil) { $0.leaf = leaf }
        #expect(scope.replace(in: Holder(scope: other), options: [.nested, .recursive]) == 0)
        #expect(leaf.port.scope == nil)
    }
}

@Suite("R9: .nested goes on into stored properties", .programRoots)
struct NestedReplacingTests {
    private let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }

    @Test("Of every kind", arguments: Nesting.allCases)
    fileprivate func nested(_ nesting: Nesting) {
        let leaf = Leaf()
        let holder = nesting.holder(of: leaf)
        #expect(scope.replace(in: holder, options: .nested) == 1)
        #expect(leaf.port() == 1)
    }

    @Test("Without it, stored properties are left alone", arguments: Nesting.allCases)
    fileprivate func notNested(_ nesting: Nesting) {
        let leaf = Leaf()
        let holder = nesting.holder(of: leaf)
        #expect(scope.replace(in: holder) == 0)
        #expect(scope.replace(in: holder, options: .recursive) == 0)
        #expect(leaf.port.scope == nil)
    }

    @Test("References of the instance and of its properties are both set") func both() {
        struct Outer {
            @Injected(\.port) var port
            let inner = Plain()
            let leaves = [Leaf(), Leaf()]
        }
        let outer = Outer()
        #expect(scope.replace(in: outer) == 1)
        #expect(outer.inner.$port.scope == nil)
        #expect(scope.replace(in: outer, options: .nested) == 5)
        #expect(outer.inner.port == 1 && outer.leaves.allSatisfy { $0.port.scope === scope })
    }

    @Test("Objects that refer to each other are visited once") func cycles() {
        final class Node {
            @Injected(\.port) var port
            var neighbours: [Node] = []
        }
        let nodes = (0..<10).map { _ in Node() }
        for node in nodes { node.neighbours = nodes }
        defer { for node in nodes { node.neighbours = [] } }
        #expect(scope.replace(in: nodes[3], options: .nested) == 10)
        #expect(nodes.allSatisfy { $0.$port.scope === scope })
    }

    @Test("A list of 200,000 objects is visited without overflowing the stack") func longList() {
        final class Link {
            let port: Injected<Int>?
            var next: Link?

            init(port: Injected<Int>?, next: Link?) {
                self.port = port
                self.next = next
            }

            func takeNext() -> Link? {
                defer { next = nil }
                return next
            }

            // Link by link, because releasing the first one must not recurse to the last.
            deinit {
                var link = takeNext()
                while link != nil, isKnownUniquelyReferenced(&link) { link = link?.takeNext() }
            }
        }
        let last = Injected(\.port)
        var list = Link(port: last, next: nil)
        for _ in 1..<200_000 { list = Link(port: nil, next: list) }
        #expect(scope.replace(in: list, options: .nested) == 1)
        #expect(last() == 1)
    }

    @Test("The result of a deferred value is not gone into") func deferred() async throws {
        let deferred = Deferred { BoundService() }
        _ = try await deferred()
        #expect(EnvironmentScope.empty("test", parent: nil).replace(in: deferred, options: .nested) == 0)
    }
}
