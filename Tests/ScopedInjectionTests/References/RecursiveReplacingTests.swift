import ScopedInjection
import Testing

private final class Editor: Sendable {
    let formatter = Injected(\.formatter)
    let port = Injected(\.port)
}

private final class Formatter: Sendable {
    let editor = Injected(\.editor)
    let leaf = Injected(\.leaf)
}

private struct Wrapped: Sendable {
    let leaves: [Leaf]
    let leaf = Injected(\.leaf)
}

extension ScopeValues {
    fileprivate static var editor: ScopeValue<Editor> { .lazy { _ in Editor() } }
    fileprivate static var formatter: ScopeValue<Formatter> { .lazy { _ in Formatter() } }
    fileprivate static var wrapped: ScopeValue<Wrapped> { .lazy { _ in Wrapped(leaves: [Leaf(), Leaf()]) } }
    fileprivate static var optionalLeaf: ScopeValue<Leaf?> { .optional() }
}

@Suite("R9: .recursive goes on into the values that references resolve to", .programRoots)
struct RecursiveReplacingTests {
    private let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }

    @Test("Through values that refer to each other, each counted once") func mutualReferences() {
        let editor = Editor()
        #expect(scope.replace(in: editor, options: .recursive) == 7)
        let kept = scope.editor
        #expect(kept !== editor)
        #expect(editor.formatter.scope === scope)
        #expect(kept.formatter.scope === scope)
        #expect(scope.formatter.editor.scope === scope && scope.leaf.port.scope === scope)
        #expect(editor.formatter().editor() === kept)
    }

    @Test("Without it, the values are left alone, and not even built") func notRecursive() {
        #expect(scope.replace(in: Editor()) == 2)
        #expect(scope.replace(in: Editor(), options: .nested) == 2)
        #expect(scope.localValue(for: \.formatter) == nil)
    }

    @Test("The values are those of the scope, not those the references had") func valuesOfScope() {
        let other = EnvironmentScope.empty("other", parent: nil)
        struct Holder { let leaf = Injected(\.leaf) }
        let holder = Holder()
        holder.leaf.scope = other
        let old = holder.leaf()
        #expect(scope.replace(in: holder, options: .recursive) == 2)
        #expect(holder.leaf() !== old && holder.leaf().port.scope === scope)
        #expect(old.port.scope == nil)
    }

    @Test("The scope need not be the current one") func currentScope() {
        let other = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        let editor = Editor()
        #expect(other { scope.replace(in: editor, options: .recursive) } == 7)
        #expect(other { editor.formatter().leaf().port() } == 1)
        #expect(other.localValue(for: \.formatter) == nil)
    }

    @Test("With .nested it goes on into the properties of the values, and so on") func both() {
        struct Holder { let wrapped = Injected(\.wrapped) }
        struct Outer { let holders = [Holder(), Holder()] }
        scope.anything = Outer()
        // So that the objects in the array of a value do not keep the scope alive.
        #expect(scope.replaceInValues(options: [.nested, .recursive]) == 6)
        #expect(scope.wrapped.leaves.allSatisfy { $0.port.scope === scope })
        #expect(scope.leaf.port.scope === scope)
    }

    @Test("An optional value is gone into as any other") func optional() {
        struct Holder { let leaf = Injected(\.optionalLeaf) }
        #expect(scope.replace(in: Holder(), options: .recursive) == 1)
        scope.optionalLeaf = Leaf()
        #expect(scope.replace(in: Holder(), options: .recursive) == 2)
        #expect(scope.optionalLeaf?.port.scope === scope)
    }
}

@Suite("R9: replaceInValues sets the scope of the references in a scope's values", .programRoots)
struct ReplacingInValuesTests {
    @Test("In values that are set and in values that were built") func values() {
        let scope = EnvironmentScope("scope", parent: nil) { $0.optionalLeaf = Leaf() }
        scope.leaf = Leaf()
        let built = scope.formatter
        #expect(scope.replaceInValues() == 4)
        #expect(scope.leaf.port.scope === scope)
        #expect(scope.optionalLeaf?.port.scope === scope)
        #expect(built.leaf.scope === scope && built.leaf() === scope.leaf)
    }

    @Test("Only in the scope's own values") func ownValues() {
        let parent = EnvironmentScope("parent", parent: nil) { $0.leaf = Leaf() }
        let child = EnvironmentScope.empty("child", parent: parent)
        #expect(child.leaf.port.scope == nil)
        #expect(child.replaceInValues() == 0)
        #expect(parent.replaceInValues() == 1)
        #expect(child.leaf.port.scope === parent)
    }

    @Test("replace with .recursive builds nothing") func buildsNothing() {
        let scope = EnvironmentScope.empty("scope", parent: nil)
        scope.provide(\.leaf) { _ in Leaf() }
        #expect(scope.replaceInValues() == 0)
        #expect(scope.localValue(for: \.leaf) == nil)
    }

    @Test("With .nested also in the properties of the values, with .recursive in the values they refer to")
    func options() {
        let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }
        let wrapped = scope.wrapped
        #expect(scope.replaceInValues() == 1)
        #expect(scope.replaceInValues(options: .nested) == 3)
        #expect(wrapped.leaves.allSatisfy { $0.port() == 1 })
        #expect(scope.localValue(for: \.leaf) == nil)
        #expect(scope.replaceInValues(options: .recursive) == 2)
        #expect(scope.localValue(for: \.leaf)?.port.scope === scope)
        #expect(scope.replaceInValues(options: [.nested, .recursive]) == 4)
    }
}
