import ScopedInjection

// What went, and what the compiler says of it; it goes with UnavailableSeeing.swift.

// error: 'ScopeDescribable' is unavailable: numbers and Booleans are shown, and nothing else
func old(_ value: any ScopeDescribable) {}
// error: 'KeepingReason' is unavailable: keptBecause is a text: "\(explanation.keptBecause ?? "")"
func old(_ value: KeepingReason) {}

func old(_ explanation: ScopeExplanation, _ graph: ScopeGraph, _ node: ScopeGraph.Node, _ event: ScopeEvent) {
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
