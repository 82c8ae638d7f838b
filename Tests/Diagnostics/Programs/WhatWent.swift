import ScopedInjection
import ScopedInjectionTesting
import Testing

// What an earlier version had.

// error: 'Level' has been renamed to 'ScopeStrictness'
func level(_ level: ScopeStrictness.Level) {}
// error: 'ScopeDescribable' is unavailable: numbers and Booleans are shown, and nothing else
func use(_ value: any ScopeDescribable) {}
// error: 'KeepingReason' is unavailable: keptBecause is a text: "\(explanation.keptBecause ?? "")"
func use(_ value: KeepingReason) {}

func use(_ app: EnvironmentScope, _ handler: Pool) async throws {
    // error: 'removeAll()' is unavailable: remove each value by name, with removeValue(for:), or make another scope
    app.removeAll()
    // error: 'discardBuiltValue(for:)' is unavailable: it takes any number of values: discardBuiltValues(\.a)
    await app.discardBuiltValue(for: \.database)
    // error: 'update(building:rebuilding:change:)' is unavailable: read in the closure what is to be built: _ = try $0.value(for: \.a)
    try app.update(building: \.database, rebuilding: \.user) { $0.port = 1 }
    // error: 'update(building:rebuilding:change:)' is unavailable: read in the closure what is to be built: _ = try $0.value(for: \.a)
    try app.update(building: \.database) { $0.port = 1 }
    // error: 'reload(building:rebuilding:closingWithin:change:)' is unavailable: read in the closure what is to be built: _ = try $0.value(for: \.a)
    try await app.reload(building: \.database) { $0.port = 1 }
    // error: 'unowned' is unavailable: replaceInValues(options:) does not keep the scope alive
    app.replace(in: handler, options: .unowned)
    // error: 'unowned' is unavailable: replaceInValues(options:) does not keep the scope alive
    app.replace(in: handler, options: [.recursive, .unowned])
    // error: 'init(unreadValues:lateReads:survivors:globalScope:)' is unavailable: it is one level for all reports: .failures, .warnings or .off
    _ = ScopeStrictness(survivors: .off)
}

func use(_ explanation: ScopeExplanation, _ graph: ScopeGraph, _ node: ScopeGraph.Node, _ event: ScopeEvent) {
    // error: 'isKept' is unavailable: keptBecause is nil where no scope keeps the value
    _ = explanation.isKept
    // error: 'isThere' is unavailable: a value is there if it is set, or keptBecause is not nil; its text says it
    _ = explanation.isThere
    // error: 'location' is unavailable: the explanation's text says it
    _ = explanation.location
    // error: 'decorations' is unavailable: the explanation's text says it
    _ = explanation.decorations
    // error: 'lifetime' is unavailable: the declaration says it
    _ = explanation.lifetime
    // error: 'beingBuiltFor' is unavailable: the explanation's text says it
    _ = explanation.beingBuiltFor
    // error: 'beingEndedFor' is unavailable: the explanation's text says it
    _ = explanation.beingEndedFor
    // error: 'rebuiltByChangesOf' is unavailable: the explanation's text says it
    _ = explanation.rebuiltByChangesOf
    // error: 'scopes' is unavailable: each node has the name of its scope
    _ = graph.scopes
    // error: 'id' is unavailable: edges have the indices of nodes
    _ = node.id
    // error: 'decorations' is unavailable: the graph's text says it
    _ = node.decorations
    // error: 'beingBuiltFor' is unavailable: the graph's text says it
    _ = node.beingBuiltFor
    // error: 'beingMadeFor' is unavailable: the graph's text says it
    _ = node.beingMadeFor
    // error: 'beingEndedFor' is unavailable: the graph's text says it
    _ = node.beingEndedFor
    // error: 'changes' has been renamed to 'names'
    _ = event.changes
    // error: 'staying' is unavailable: the event's text says it
    _ = event.staying
    // error: 'keptIn' is unavailable: the event's text says it; explain(_:) has keptIn
    _ = event.keptIn
    // error: 'keptBecause' is unavailable: the event's text says it; explain(_:) has keptBecause
    _ = event.keptBecause
    // error: 'isKept' is unavailable: the event's text says it; explain(_:) has keptBecause
    _ = event.isKept
    // error: 'valueType' is unavailable: the event's text says it
    _ = event.valueType
    // error: 'isDeferred' is unavailable: the event's text says it
    _ = event.isDeferred
    // error: 'formerLocation' is unavailable: the event's text says it
    _ = event.formerLocation
}
