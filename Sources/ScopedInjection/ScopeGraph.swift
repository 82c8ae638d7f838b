/// The values that a scope and its ancestors hold, and which of them was built from which.
///
/// An edge leads from a value that is built and kept to one that it was built from, unless it was built from that by way of
/// another one. Draw the graph with ``mermaid`` (GitHub, Xcode documentation).
///
/// ```swift
/// print(app.graph.mermaid)
/// ```
///
/// It is a snapshot in a stable order: scopes from the outermost to the one that was asked, values by name.
public struct ScopeGraph: Sendable, CustomStringConvertible {
    /// How a scope has a value.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// The value is set.
        case set
        /// A builder was provided, and has not run for this scope.
        case provided
        /// The value was built, and is kept.
        case built
        /// A builder read the value, but no scope keeps it: a transient value, a constant, one that was missing.
        case transient
        /// No value is there, but a builder runs, or the cleanups of a former one have not ended.
        case inProgress
    }

    /// A value, or a builder that has not run yet.
    public struct Node: Sendable, Hashable, Identifiable {
        /// The node's number in its graph.
        public internal(set) var id: Int
        /// The name of the value, as texts show it.
        public let name: String
        /// The name of its type.
        public let valueType: String
        /// The index in ``ScopeGraph/scopes`` of the scope that holds the value; nil if none does.
        public internal(set) var scope: Int?
        /// How the scope has the value.
        public let kind: Kind
        /// The places in the source where the scope was given decorations of the value, the innermost first.
        public let decorations: [ScopeError.Location]
        /// For how long a builder has been running; as ``ScopeExplanation/beingBuiltFor``.
        public var beingBuiltFor: Duration? { progress.building }
        /// For how long a ``Deferred`` value has been being made; nil if no run makes it.
        public var beingMadeFor: Duration? { progress.making }
        /// For how long a former value has been let go of and not ended; nil if there is none.
        public var beingEndedFor: Duration? { progress.ending }

        let progress: Progress
    }

    /// A value and one input that it was built from.
    public struct Edge: Sendable, Hashable {
        /// The ``Node/id`` of the value that was built.
        public internal(set) var value: Int
        /// The ``Node/id`` of the value that its builder read.
        public internal(set) var input: Int
    }

    /// The names of the scopes, outermost first; nil for one without a name.
    public internal(set) var scopes: [String?] = []

    /// The values, by scope and name.
    public internal(set) var nodes: [Node] = []

    /// The edges, in the order of the nodes.
    public internal(set) var edges: [Edge] = []

    /// A line for each value, with what it was built from.
    public var description: String {
        var rest = edges[...]
        return nodes.map { node in
            // They are in the order of the nodes.
            let own = rest.prefix { $0.value == node.id }
            rest = rest.dropFirst(own.count)
            let inputs = own.map { title(of: nodes[$0.input]) }
            return title(of: node) + (inputs.isEmpty ? "" : " ← \(inputs.joined(separator: ", "))")
        }.joined(separator: "\n")
    }

    private func title(of node: Node) -> String {
        let decorations =
            node.decorations.isEmpty
            ? "" : ", decorated at \(node.decorations.map(\.description).joined(separator: ", "))"
        let scope = node.scope.map { " in \(EnvironmentScope.display(scopes[$0]))" } ?? ""
        let texts = (node.kind == .inProgress ? [] : ["\(node.kind)"]) + node.progress.texts
        return "\(node.name)\(scope) (\(texts.joined(separator: ", "))\(decorations))"
    }
}

// MARK: - Drawing

extension ScopeGraph {
    /// The graph as a Mermaid flowchart; GitHub draws it in a code block of the language `mermaid`.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        for (index, members) in groups {
            if let index {
                let name = scopes[index] ?? EnvironmentScope.display(nil)
                lines.append("    subgraph s\(index)[\"\(Self.escaped(name))\"]")
            }
            for node in members {
                let (open, close) = node.kind.brackets
                let label = "\(Self.escaped(node.name))<br/><small>\(Self.escaped(node.valueType))</small>"
                lines.append("        n\(node.id)\(open)\"\(label)\"\(close)")
            }
            if index != nil { lines.append("    end") }
        }
        lines += edges.map { "    n\($0.value) --> n\($0.input)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The nodes of each scope, then those that no scope holds.
    private var groups: [(scope: Int?, nodes: [Node])] {
        (scopes.indices.map(Optional.some) + [nil]).map { index in (index, nodes.filter { $0.scope == index }) }
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "#quot;"
            case "#": "#35;"
            default: character.isNewline ? " " : String(character)
            }
        }
        .joined()
    }
}

extension ScopeGraph.Kind {
    /// The brackets of Mermaid.
    fileprivate var brackets: (open: String, close: String) {
        switch self {
        case .set: ("[", "]")
        case .built: ("(", ")")
        case .provided: ("{{", "}}")
        case .transient: (">", "]")
        case .inProgress: ("([", "])")
        }
    }
}
