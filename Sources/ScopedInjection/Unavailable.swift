// What an earlier version had, each with its new spelling. The file goes with the next version, and their names from
// `Declaration.taken`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

extension EnvironmentScope {
    @available(*, unavailable, message: "remove each value by name, with removeValue(for:), or make another scope")
    public func removeAll() {}
}

extension ReplaceOptions {
    @available(*, unavailable, message: "replaceInValues(options:) does not keep the scope alive")
    public static var unowned: ReplaceOptions { [] }
}

@available(*, unavailable, message: "numbers and Booleans are shown, and nothing else")
public protocol ScopeDescribable {}

extension ScopeExplanation {
    @available(*, unavailable, message: "a value is there if it is set, or keptBecause is not nil; its text says it")
    public var isThere: Bool { fatalError() }
    @available(*, unavailable, message: "the explanation's text says it")
    public var location: ScopeError.Location? { fatalError() }
    @available(*, unavailable, message: "the explanation's text says it")
    public var decorations: [ScopeError.Location] { fatalError() }
    @available(*, unavailable, message: "the declaration says it")
    public var lifetime: ValueLifetime { fatalError() }
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
}

extension ScopeEvent {
    @available(*, unavailable, message: "the event's text says it; explain(_:) has keptIn")
    public var keptIn: String? { fatalError() }
    @available(*, unavailable, message: "the event's text says it")
    public var valueType: String? { fatalError() }
}
