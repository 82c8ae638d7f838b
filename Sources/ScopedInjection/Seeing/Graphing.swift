/// Gathers the graph of a scope and its ancestors, at one moment.
enum Graphing {
    private struct Vertex: Hashable {
        /// The level of the scope that holds the value; nil if none does.
        let level: Int?
        let key: UnsafeRawPointer
    }

    /// What is known of a vertex.
    private final class Facts {
        let kind: ScopeGraph.Kind
        var decorations: [SourcePlace] = []
        var progress = Progress()
        var value: Any?
        /// The number of its node.
        var id = 0

        init(_ kind: ScopeGraph.Kind) { self.kind = kind }
    }

    private struct Gathering {
        var names: [String?] = []
        var facts: [Vertex: Facts] = [:]
        var inputs: [(value: Vertex, input: Vertex)] = []

        /// What is known, or that the vertex is of a kind.
        @discardableResult
        mutating func facts(_ vertex: Vertex, or kind: ScopeGraph.Kind) -> Facts {
            if let known = facts[vertex] { return known }
            let new = Facts(kind)
            facts[vertex] = new
            return new
        }
    }

    static func graph(of scope: EnvironmentScope) -> ScopeGraph {
        assemble(scope.node.inspect { gather(from: scope.node) })
    }

    private static func gather(from start: NodePointer) -> Gathering {
        var gathering = Gathering()
        for (level, node) in start.chain.enumerated() {
            gathering.names.append(node.withScope { $0.name })
            node.forEachSlot { slot in
                guard let key = slot.pointee.key, key != DefaultsPolicy.key.address else { return }
                let vertex = Vertex(level: level, key: key)
                let facts: Facts
                switch Look.find(key, from: node) {
                case .cell(let cell, _, 0):
                    facts = gathering.facts(vertex, or: cell.isSet ? .set : .built)
                    facts.value = cell.anyValue
                    for input in cell.kept?.directInputs(in: node) ?? [] {
                        var other = Vertex(level: nil, key: input.key)
                        if case .cell(_, _, let distance) = Look.find(input.key, past: input.past, from: node) {
                            other = Vertex(level: level + Int(distance), key: input.key)
                        } else {
                            gathering.facts(other, or: .transient)
                        }
                        gathering.inputs.append((vertex, other))
                    }
                case .unbuilt(let decision) where decision.level == 0 && decision.provider != nil:
                    facts = gathering.facts(vertex, or: .provided)
                default: return
                }
                facts.decorations = slot.pointee.provider?.decorations ?? []
            }
            for (value, progress) in node.progress {
                gathering.facts(Vertex(level: level, key: value.address), or: .inProgress).progress = progress
            }
        }
        return gathering
    }

    private static func assemble(_ gathering: Gathering) -> ScopeGraph {
        var graph = ScopeGraph(scopes: gathering.names.reversed())
        let vertices = Array(gathering.facts)
        var nodes = vertices.map { vertex, facts in
            let key = ValueKey.at(vertex.key)
            var progress = facts.progress
            if case .inProgress(let time) = (facts.value as? any Awaited)?.making { progress.making = time }
            return ScopeGraph.Node(
                id: 0,
                name: key.name,
                valueType: key.valueName,
                scope: vertex.level.map { gathering.names.count - 1 - $0 },
                kind: facts.kind,
                decorations: facts.decorations.map { ScopeError.Location($0) },
                progress: progress
            )
        }
        // By name, because the order of slots differs from run to run; then by scope, the nodes of none last.
        var groups: [[Int]] = Array(repeating: [], count: graph.scopes.count + 1)
        for index in nodes.indices.ordered(by: { "\(nodes[$0].name)\0\(nodes[$0].valueType)" }) {
            groups[nodes[index].scope ?? graph.scopes.count].append(index)
        }
        for index in groups.joined() {
            nodes[index].id = graph.nodes.count
            vertices[index].value.id = graph.nodes.count
            graph.nodes.append(nodes[index])
        }
        let count = UInt64(nodes.count)
        let edges = gathering.inputs.compactMap { value, input -> UInt64? in
            guard let value = gathering.facts[value], let input = gathering.facts[input] else { return nil }
            return UInt64(value.id) * count + UInt64(input.id)
        }
        graph.edges = Set(edges).sorted().map { ScopeGraph.Edge(value: Int($0 / count), input: Int($0 % count)) }
        return graph
    }
}
