import ScopedInjection
import Testing

private final class Editor: Sendable {
    let formatter = Injected(key: FormatterKey.self)
    let port = Injected(\.port)
}

private final class Formatter: Sendable {
    let editor = Injected(key: EditorKey.self)
    let leaf = Injected(key: LeafKey.self)
}

private enum EditorKey: ScopeKey { static func makeValue(in scope: EnvironmentScope) -> Editor { Editor() } }
private enum FormatterKey: ScopeKey { static func makeValue(in scope: EnvironmentScope) -> Formatter { Formatter() } }

private struct Wrapped: Sendable {
    let leaves: [Leaf]
    let leaf = Injected(key: LeafKey.self)
}
private enum WrappedKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Wrapped { Wrapped(leaves: [Leaf(), Leaf()]) }
}
private enum OptionalLeafKey: ScopeKey { typealias Value = Leaf? }
private enum LeavesKey: ScopeKey { typealias Value = [Leaf] }

@Suite("R9: .recursive goes on into the values that references resolve to")
struct RecursiveReplacingTests {
    private let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }

    @Test("Through values that refer to each other, each counted once")
    func mutualReferences() {
        let editor = Editor()
        #expect(scope.replace(in: editor, options: .recursive) == 7)
        let kept = scope[EditorKey.self]
        #expect(kept !== editor)
        #expect(editor.formatter.scope === scope)
        #expect(kept.formatter.scope === scope)
        #expect(scope[FormatterKey.self].editor.scope === scope)
        #expect(scope[LeafKey.self].port.scope === scope)
        #expect(editor.formatter().editor() === kept)
    }

    @Test("Without it, the values are left alone, and not even built")
    func notRecursive() {
        #expect(scope.replace(in: Editor()) == 2)
        #expect(scope.replace(in: Editor(), options: .nested) == 2)
        #expect(scope.localValue(for: FormatterKey.self) == nil)
    }

    @Test("The values are those of the scope, not those the references had")
    func valuesOfScope() {
        let other = EnvironmentScope.empty("other", parent: nil)
        struct Holder { let leaf = Injected(key: LeafKey.self) }
        let holder = Holder()
        holder.leaf.scope = other
        let old = holder.leaf()
        #expect(scope.replace(in: holder, options: .recursive) == 2)
        #expect(holder.leaf() !== old)
        #expect(holder.leaf().port.scope === scope)
        #expect(old.port.scope == nil)
    }

    @Test("The scope need not be the current one")
    func currentScope() {
        let other = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        let editor = Editor()
        #expect(other { scope.replace(in: editor, options: .recursive) } == 7)
        #expect(other { editor.formatter().leaf().port() } == 1)
        #expect(other.localValue(for: FormatterKey.self) == nil)
    }

    @Test("Alone, it visits the stored properties of the values only")
    func alone() {
        struct Holder { let wrapped = Injected(key: WrappedKey.self) }
        #expect(scope.replace(in: Holder(), options: .recursive) == 3)
        #expect(scope[WrappedKey.self].leaves.allSatisfy { $0.port.scope == nil })
    }

    @Test("With .nested it goes on into the properties of the values, and so on")
    func both() {
        struct Holder { let wrapped = Injected(key: WrappedKey.self) }
        struct Outer { let holders = [Holder(), Holder()] }
        // Otherwise the objects in the array of a value would keep the scope alive.
        #expect(scope.replace(in: Outer(), options: [.nested, .recursive, .unowned]) == 6)
        #expect(scope[WrappedKey.self].leaves.allSatisfy { $0.port.scope === scope })
        #expect(scope[LeafKey.self].port.scope === scope)
    }

    @Test("With .nested it goes on into elements and payloads of the values")
    func bothThroughCollections() {
        struct Holder {
            let leaf = Injected(key: OptionalLeafKey.self)
            let leaves = Injected(key: LeavesKey.self)
        }
        let leaves = [Leaf(), Leaf(), Leaf()]
        scope[OptionalLeafKey.self] = leaves[0]
        scope[LeavesKey.self] = leaves
        #expect(scope.replace(in: Holder(), options: [.nested, .recursive, .unowned]) == 5)
        #expect(leaves.allSatisfy { $0.port.scope === scope })
    }
}

@Suite("R9: replaceInValues sets the scope of the references in a scope's values")
struct ReplacingInValuesTests {
    @Test("In values that are set and in values that were built")
    func values() {
        let scope = EnvironmentScope("scope", parent: nil) { $0[LeafKey.self] = Leaf() }
        let built = scope[FormatterKey.self]
        #expect(scope.replaceInValues() == 3)
        #expect(scope[LeafKey.self].port.scope === scope)
        #expect(built.leaf.scope === scope)
        #expect(built.leaf() === scope[LeafKey.self])
    }

    @Test("Only in the scope's own values")
    func ownValues() {
        let parent = EnvironmentScope("parent", parent: nil) { $0[LeafKey.self] = Leaf() }
        let child = EnvironmentScope.empty("child", parent: parent)
        #expect(child[LeafKey.self].port.scope == nil)
        #expect(child.replaceInValues() == 0)
        #expect(parent.replaceInValues() == 1)
        #expect(child[LeafKey.self].port.scope === parent)
    }

    @Test("It builds nothing")
    func buildsNothing() {
        let scope = EnvironmentScope.empty("scope", parent: nil)
        scope.provide(LeafKey.self) { _ in Leaf() }
        #expect(scope.replaceInValues() == 0)
        #expect(scope.localValue(for: LeafKey.self) == nil)
    }

    @Test("With .nested also in the properties of the values, with .recursive in the values they refer to")
    func options() {
        let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }
        let wrapped = scope[WrappedKey.self]
        #expect(scope.replaceInValues() == 1)
        #expect(scope.replaceInValues(options: .nested) == 3)
        #expect(wrapped.leaves.allSatisfy { $0.port() == 1 })
        #expect(scope.localValue(for: LeafKey.self) == nil)
        #expect(scope.replaceInValues(options: .recursive) == 2)
        #expect(scope.localValue(for: LeafKey.self)?.port.scope === scope)
        #expect(scope.replaceInValues(options: [.nested, .recursive]) == 4)
    }

    @Test("Values that refer to each other are visited once each")
    func mutualReferences() {
        let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }
        let editor = scope[EditorKey.self]
        #expect(scope.replaceInValues(options: .recursive) == 5)
        #expect(editor.formatter().editor() === editor)
        #expect(editor.formatter().leaf().port() == 1)
    }
}
