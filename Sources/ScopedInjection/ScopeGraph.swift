/// The values that a scope and its ancestors hold, and which of them was built from which.
///
/// An edge leads from a value that is built and kept to one that it was built from, unless it was built from that by way of
/// another one. Draw the graph with ``mermaid`` (GitHub, Xcode documentation).
///
/// ```swift
/// print(app.graph.mermaid)
/// ```
///
/// It is a snapshot in a stable order: scopes from the outermost to the one that was asked, values by name. It may be used from any thread.
public struct ScopeGraph: Sendable, CustomStringConvertible {
    /// A value, or a builder that has not run yet.
    public struct Node: Sendable {
        let facts: Facts
        /// The name of the scope that has the value; nil if that has none, and for a value that no scope keeps.
        public let scope: String?
        /// The name of the value, as texts show it.
        public var name: String { facts.key.name }

        fileprivate var title: String {
            let places = facts.decorations.map(\.description).joined(separator: ", ")
            let texts =
                [facts.kind].filter { !$0.isEmpty } + facts.progress
                + (places.isEmpty ? [] : ["decorated at \(places)"])
            let place = facts.level == nil ? "" : " in \(EnvironmentScope.display(scope))"
            return "\(name)\(place) (\(texts.joined(separator: ", ")))"
        }
    }

    /// The values, by scope and name; last those that no scope keeps.
    public let nodes: [Node]

    /// The edges, in the order of the nodes, whose indices they have: a value that was built, and one that its builder read.
    public let edges: [(value: Int, input: Int)]

    /// The names of the scopes, from the one that was asked outwards.
    private let scopeNames: [String?]

    init(_ gathering: Gathering) {
        let (all, scopes) = (gathering.all, gathering.names)
        // By name, because the order of slots differs from run to run; then by scope, the nodes of none last.
        var groups: [[Int]] = Array(repeating: [], count: scopes.count + 1)
        for index in all.indices.ordered(by: { "\(all[$0].key.name)\0\(all[$0].key.valueName)" }) {
            groups[all[index].level.map { scopes.count - 1 - $0 } ?? scopes.count].append(index)
        }
        var (nodes, positions): ([Node], [Int]) = ([], Array(repeating: 0, count: all.count))
        for group in groups {
            // What is there in no scope, and was asked for in several, is one.
            var known: [ValueKey: Int] = [:]
            for index in group {
                positions[index] = known[all[index].key] ?? nodes.count
                if known.updateValue(positions[index], forKey: all[index].key) != nil { continue }
                nodes.append(Node(facts: all[index], scope: all[index].level.flatMap { scopes[$0] }))
            }
        }
        (self.nodes, scopeNames) = (nodes, scopes)
        let count = nodes.count
        let edges = all.indices.flatMap { value in all[value].inputs.map { positions[value] * count + positions[$0] } }
        self.edges = Set(edges).sorted().map { ($0 / count, $0 % count) }
    }

    /// A line for each value, with what it was built from.
    public var description: String {
        var rest = edges[...]
        return nodes.indices.map { index in
            let own = rest.prefix { $0.value == index }
            rest = rest.dropFirst(own.count)
            let inputs = own.map { nodes[$0.input].title }
            return nodes[index].title + (inputs.isEmpty ? "" : " ← \(inputs.joined(separator: ", "))")
        }.joined(separator: "\n")
    }

    /// The graph as a Mermaid flowchart; GitHub draws it in a code block of the language `mermaid`.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        for level in scopeNames.indices.reversed().map(Optional.some) + [nil] {
            if let level {
                let name = scopeNames[level] ?? EnvironmentScope.display(nil)
                lines.append("    subgraph s\(scopeNames.count - 1 - level)[\"\(Self.escaped(name))\"]")
            }
            for (index, node) in nodes.enumerated() where node.facts.level == level {
                let label = "\(Self.escaped(node.name))<br/><small>\(Self.escaped(node.facts.key.valueName))</small>"
                let (open, close) = node.facts.brackets
                lines.append("        n\(index)\(open)\"\(label)\"\(close)")
            }
            if level != nil { lines.append("    end") }
        }
        lines += edges.map { "    n\($0.value) --> n\($0.input)" }
        return lines.joined(separator: "\n") + "\n"
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

extension Facts {
    /// How a scope has the value, in a word.
    fileprivate var kind: String { shape.kind }
    /// The brackets of Mermaid.
    fileprivate var brackets: (open: String, close: String) { (shape.open, shape.close) }

    private var shape: (kind: String, open: String, close: String) {
        if keeper != nil { return ("built", "(", ")") }
        if source == .set { return ("set", "[", "]") }
        if source == .provided || source == .decorated { return ("provided", "{{", "}}") }
        return level == nil ? ("transient", ">", "]") : ("", "([", "])")
    }
}
