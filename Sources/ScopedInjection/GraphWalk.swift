/// Gathers a graph from what the scopes of a chain hold.
struct GraphWalk {
    private struct Place: Hashable {
        let scope: ObjectIdentifier?
        let key: AnyKey

        init(_ scope: ObjectIdentifier?, _ key: AnyKey) {
            self.scope = scope
            self.key = key
        }
    }

    private var nodes: [(place: Place, node: DependencyGraph.Node)] = []
    private var inputs: [(value: Place, input: Place)] = []

    /// The graph of a scope and those outside it.
    static func graph(of scope: EnvironmentScope?) -> DependencyGraph {
        var walk = GraphWalk()
        let scopes = Array((scope?.chain ?? []).reversed())
        for (index, scope) in scopes.enumerated() { walk.visit(scope, at: index) }
        return walk.graph(naming: scopes.map(\.label))
    }

    private mutating func visit(_ scope: EnvironmentScope, at index: Int) {
        for key in scope.heldKeys {
            // As this scope itself sees it; what it inherits is a node of another scope.
            guard let prospect = try? scope.prospect(of: key), prospect.key == key else { continue }
            switch prospect.outcome {
            case .cell(let cell, let owner) where owner === scope:
                add(key, in: scope, at: index, cell.provenance == nil ? .set : .built)
                if let provenance = cell.provenance { addInputs(provenance, of: Place(ObjectIdentifier(scope), key)) }
            case .unbuilt where prospect.decider === scope:
                add(key, in: scope, at: index, .provided)
            default:
                continue
            }
        }
    }

    private mutating func addInputs(_ provenance: Provenance, of value: Place) {
        for input in provenance.inputs where input.isOfValue {
            let owner = input.fact == .value ? input.owner : nil
            let place = Place(owner, input.key)
            inputs.append((value, place))
            if owner == nil { add(input.key, at: place, .transient) }
        }
    }

    private mutating func add(_ key: AnyKey, in scope: EnvironmentScope, at index: Int, _ kind: DependencyGraph.Kind) {
        add(key, at: Place(ObjectIdentifier(scope), key), kind, index: index)
    }

    private mutating func add(_ key: AnyKey, at place: Place, _ kind: DependencyGraph.Kind, index: Int? = nil) {
        guard !nodes.contains(where: { $0.place == place }) else { return }
        let node = DependencyGraph.Node(id: 0, key: key.name, valueType: key.valueName, scope: index, kind: kind)
        nodes.append((place, node))
    }

    private func graph(naming scopes: [String]) -> DependencyGraph {
        // By name, because the order of a table's slots differs from run to run.
        let sorted = nodes.sorted { lhs, rhs in
            let order = { (node: DependencyGraph.Node) in (node.scope ?? Int.max, node.key, node.valueType) }
            return order(lhs.node) < order(rhs.node)
        }
        var ids: [Place: Int] = [:]
        var graph = DependencyGraph(scopes: scopes)
        for (id, entry) in sorted.enumerated() {
            ids[entry.place] = id
            var node = entry.node
            node.id = id
            graph.nodes.append(node)
        }
        let edges = Set(
            inputs.compactMap { value, input in
                ids[value].flatMap { value in ids[input].map { DependencyGraph.Edge(value: value, input: $0) } }
            }
        )
        graph.edges = edges.sorted { ($0.value, $0.input) < ($1.value, $1.input) }
        return graph
    }
}

extension EnvironmentScope {
    /// The keys for which this scope itself has something.
    fileprivate var heldKeys: [AnyKey] {
        look { table in
            var keys: [AnyKey] = []
            table.forEachSlot { slot in
                guard slot.own != nil || slot.provider != nil || slot.kept != nil else { return }
                if let type = slot.keyType as? any ScopeKey.Type { keys.append(AnyKey(type)) }
            }
            return keys
        }
    }
}
