import ScopedInjection
import ScopedInjectionTesting
import Testing

// What an earlier version had.

// error: 'Level' has been renamed to 'ScopeStrictness'
func level(_ level: ScopeStrictness.Level) {}
// error: 'ScopeDescribable' is unavailable: numbers and Booleans are shown, and nothing else
func use(_ value: any ScopeDescribable) {}

func use(_ app: EnvironmentScope, _ handler: Pool) async throws {
    // error: 'removeAll()' is unavailable: remove each value by name, with removeValue(for:), or make another scope
    app.removeAll()
    // error: 'unowned' is unavailable: replaceInValues(options:) does not keep the scope alive
    app.replace(in: handler, options: .unowned)
    // error: 'unowned' is unavailable: replaceInValues(options:) does not keep the scope alive
    app.replace(in: handler, options: [.recursive, .unowned])
    // error: 'init(unreadValues:lateReads:survivors:globalReads:)' is unavailable: it is one level for all reports: .failures, .warnings or .off
    _ = ScopeStrictness(survivors: .off)
}

func use(_ explanation: ScopeExplanation, _ graph: ScopeGraph, _ node: ScopeGraph.Node, _ event: ScopeEvent) {
    // error: 'isThere' is unavailable: a value is there if it is set, or keptBecause is not nil; its text says it
    _ = explanation.isThere
    // error: 'location' is unavailable: the explanation's text says it
    _ = explanation.location
    // error: 'decorations' is unavailable: the explanation's text says it
    _ = explanation.decorations
    // error: 'lifetime' is unavailable: the declaration says it
    _ = explanation.lifetime
    // error: 'rebuiltByChangesOf' is unavailable: the explanation's text says it
    _ = explanation.rebuiltByChangesOf
    // error: 'scopes' is unavailable: each node has the name of its scope
    _ = graph.scopes
    // error: 'id' is unavailable: edges have the indices of nodes
    _ = node.id
    // error: 'keptIn' is unavailable: the event's text says it; explain(_:) has keptIn
    _ = event.keptIn
    // error: 'valueType' is unavailable: the event's text says it
    _ = event.valueType
}
