// What an earlier version had, each with its new spelling. The file goes with the next version, and their names from
// `Declaration.taken`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

extension EnvironmentScope {
    @available(*, unavailable, message: "remove each value by name, with removeValue(for:), or make another scope")
    public func removeAll() {}

    @available(*, unavailable, message: "it takes any number of values: discardBuiltValues(\\.a)")
    public func discardBuiltValue<Value>(for value: ValueName<Value>) async {}

    @available(*, unavailable, message: "read in the closure what is to be built: _ = try $0.value(for: \\.a)")
    public func update<each Value, each Other>(
        building values: repeat ValueName<each Value>,
        rebuilding others: repeat ValueName<each Other>,
        change: (EnvironmentScope) throws -> Void
    ) throws {}

    @available(*, unavailable, message: "read in the closure what is to be built: _ = try $0.value(for: \\.a)")
    public func reload<each Value, each Other>(
        building values: repeat ValueName<each Value>,
        rebuilding others: repeat ValueName<each Other>,
        closingWithin limit: Duration? = nil,
        change: (EnvironmentScope) async throws -> Void
    ) async throws {}
}

extension ReplaceOptions {
    @available(*, unavailable, message: "replaceInValues(options:) does not keep the scope alive")
    public static var unowned: ReplaceOptions { [] }
}

@available(*, unavailable, message: "numbers and Booleans are shown, and nothing else")
public protocol ScopeDescribable {}

@available(*, unavailable, message: "keptBecause is a text: \"\\(explanation.keptBecause ?? \"\")\"")
public enum KeepingReason {}

extension ScopeExplanation {
    @available(*, unavailable, message: "keptBecause is nil where no scope keeps the value")
    public var isKept: Bool { fatalError() }
    @available(*, unavailable, message: "a value is there if it is set, or keptBecause is not nil; its text says it")
    public var isThere: Bool { fatalError() }
    @available(*, unavailable, message: "the explanation's text says it")
    public var location: ScopeError.Location? { fatalError() }
    @available(*, unavailable, message: "the explanation's text says it")
    public var decorations: [ScopeError.Location] { fatalError() }
    @available(*, unavailable, message: "the declaration says it")
    public var lifetime: ValueLifetime { fatalError() }
    @available(*, unavailable, message: "the explanation's text says it")
    public var beingBuiltFor: Duration? { fatalError() }
    @available(*, unavailable, message: "the explanation's text says it")
    public var beingEndedFor: Duration? { fatalError() }
    @available(*, unavailable, message: "the explanation's text says it")
    public var rebuiltByChangesOf: [String] { fatalError() }
}

extension ScopeGraph {
    @available(*, unavailable, message: "each node has the name of its scope")
    public var scopes: [String?] { fatalError() }
}

extension ScopeGraph.Node {
    @available(*, unavailable, message: "edges have the indices of nodes")
    public var id: Int { fatalError() }
    @available(*, unavailable, message: "the graph's text says it")
    public var decorations: [ScopeError.Location] { fatalError() }
    @available(*, unavailable, message: "the graph's text says it")
    public var beingBuiltFor: Duration? { fatalError() }
    @available(*, unavailable, message: "the graph's text says it")
    public var beingMadeFor: Duration? { fatalError() }
    @available(*, unavailable, message: "the graph's text says it")
    public var beingEndedFor: Duration? { fatalError() }
}

extension ScopeEvent {
    @available(*, unavailable, renamed: "names")
    public var changes: [String] { fatalError() }
    @available(*, unavailable, message: "the event's text says it")
    public var staying: [String] { fatalError() }
    @available(*, unavailable, message: "the event's text says it; explain(_:) has keptIn")
    public var keptIn: String? { fatalError() }
    @available(*, unavailable, message: "the event's text says it; explain(_:) has keptBecause")
    public var keptBecause: String? { fatalError() }
    @available(*, unavailable, message: "the event's text says it; explain(_:) has keptBecause")
    public var isKept: Bool { fatalError() }
    @available(*, unavailable, message: "the event's text says it")
    public var valueType: String? { fatalError() }
    @available(*, unavailable, message: "the event's text says it")
    public var isDeferred: Bool { fatalError() }
    @available(*, unavailable, message: "the event's text says it")
    public var formerLocation: ScopeError.Location? { fatalError() }
}
