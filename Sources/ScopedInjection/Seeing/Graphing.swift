/// Gathers the graph of a scope and its ancestors, at one moment.
enum Graphing {
    private struct Vertex: Hashable {
        /// The level of the scope that holds the value; nil if none does.
        let level: Int?
        let key: UnsafeRawPointer
    }

    private struct Gathering {
        var names: [String?] = []
        var kinds: [Vertex: ScopeGraph.Kind] = [:]
        var decorations: [Vertex: [SourcePlace]] = [:]
        var inputs: [(value: Vertex, input: Vertex)] = []
        var progress: [Vertex: Progress] = [:]
        var values: [Vertex: Any] = [:]
    }

    static func graph(of scope: EnvironmentScope) -> ScopeGraph {
        assemble(scope.node.whileReading { gather(from: scope.node) })
    }

    private static func gather(from start: NodePointer) -> Gathering {
        var gathering = Gathering()
        for (level, node) in start.chain.enumerated() {
            gathering.names.append(node.withScope { $0.name })
            node.forEachSlot { slot in
                guard let key = slot.pointee.key, key != DefaultsPolicy.key.address else { return }
                let vertex = Vertex(level: level, key: key)
                switch Look.find(key, from: node) {
                case .cell(let cell, _, 0):
                    gathering.kinds[vertex] = cell.isSet ? .set : .built
                    gathering.values[vertex] = cell.anyValue
                    for input in cell.kept?.directInputs(in: node) ?? [] {
                        var other = Vertex(level: nil, key: input.key)
                        if case .cell(_, _, let distance) = Look.find(input.key, past: input.past, from: node) {
                            other = Vertex(level: level + Int(distance), key: input.key)
                        } else if gathering.kinds[other] == nil {
                            gathering.kinds[other] = .transient
                        }
                        gathering.inputs.append((vertex, other))
                    }
                case .unbuilt(let decision)
                where decision.level == 0 && decision.provider != nil:
                    gathering.kinds[vertex] = .provided
                default: return
                }
                let provider = slot.pointee.provider
                gathering.decorations[vertex] = provider?.decorations
            }
            for (value, progress) in node.progress {
                let vertex = Vertex(level: level, key: value.address)
                gathering.progress[vertex] = progress
                if gathering.kinds[vertex] == nil { gathering.kinds[vertex] = .inProgress }
            }
        }
        return gathering
    }

    private static func assemble(_ gathering: Gathering) -> ScopeGraph {
        var graph = ScopeGraph(scopes: gathering.names.reversed())
        let nodes = gathering.kinds.map { vertex, kind in
            let key = ValueKey.at(vertex.key)
            var progress = gathering.progress[vertex] ?? Progress()
            if case .inProgress(let time) = (gathering.values[vertex] as? any Awaited)?.making {
                progress.making = time
            }
            let node = ScopeGraph.Node(
                id: 0,
                name: key.name,
                valueType: key.valueName,
                scope: vertex.level.map { gathering.names.count - 1 - $0 },
                kind: kind,
                decorations: gathering.decorations[vertex, default: []].map { ScopeError.Location($0) },
                progress: progress
            )
            return (vertex: vertex, node: node)
        }
        // By name, because the order of slots differs from run to run.
        let order = { (node: ScopeGraph.Node) in (node.scope ?? Int.max, node.name, node.valueType) }
        var ids: [Vertex: Int] = [:]
        for (id, entry) in nodes.sorted(by: { order($0.node) < order($1.node) }).enumerated() {
            ids[entry.vertex] = id
            graph.nodes.append(entry.node)
            graph.nodes[id].id = id
        }
        let edges = gathering.inputs.compactMap { value, input in
            ids[value].flatMap { value in ids[input].map { ScopeGraph.Edge(value: value, input: $0) } }
        }
        graph.edges = Set(edges).sorted { ($0.value, $0.input) < ($1.value, $1.input) }
        return graph
    }
}
