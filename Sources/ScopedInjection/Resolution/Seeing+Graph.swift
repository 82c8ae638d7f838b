// MARK: - Gathering a graph

extension Seeing {
    private struct Place: Hashable {
        /// The level of the scope that holds the value; nil if none does.
        var level: Int?
        var isElsewhere = false
        let key: UnsafeRawPointer
    }

    /// The content of the scopes of a chain, gathered at one moment.
    private struct Gathering {
        var kinds: [Place: DependencyGraph.Kind] = [:]
        var inputs: [(value: Place, input: Place)] = []

        mutating func add(_ place: Place, _ kind: DependencyGraph.Kind) {
            if kinds[place] == nil { kinds[place] = kind }
        }
    }

    /// The graph of a scope and its ancestors.
    static func graph(of scope: EnvironmentScope?) -> DependencyGraph {
        guard let scope, let node = scope.node else { return DependencyGraph() }
        var gathering = Gathering()
        var labels: [String] = []
        let line = node.startReading()
        for here in node.chain {
            gather(from: here, at: labels.count, &gathering)
            labels.append(here.withScope { $0.label })
        }
        node.finishReading(line)
        return assemble(gathering, labels)
    }

    /// Gathers the content of one scope, as that scope itself sees it.
    private static func gather(from node: NodePointer, at level: Int, _ gathering: inout Gathering) {
        var look = Look()
        node.forEachSlot { slot in
            guard let address = slot.pointee.key, !slot.pointee.isEmpty, ValueKey.at(address).base.address == address
            else { return }
            let place = Place(level: level, key: address)
            switch look.answer(Question(node: node, key: address)) {
            case .cell(let cell, 0):
                gathering.add(place, cell.isSet ? .set : .built)
                guard let kept = cell.kept else { return }
                addInputs(of: kept, to: place, node, level, &look, &gathering)
            case .unbuilt(let decision) where decision.level == 0 && decision.provider != nil && decision.target == nil:
                gathering.add(place, .provided)
            default:
                return
            }
        }
    }

    /// Adds what a value was built from.
    ///
    /// What it inherits, and its scope keeps beside it, is no node: it was built from the inputs of that.
    private static func addInputs(
        of kept: UnsafeMutablePointer<Kept>,
        to value: Place,
        _ node: NodePointer,
        _ level: Int,
        _ look: inout Look,
        _ gathering: inout Gathering
    ) {
        var pending = [(kept: kept, keeper: node)]
        while let (kept, keeper) = pending.popLast() {
            for input in kept.inputs where input.fact == .value || input.fact == .decision {
                let key = ValueKey.at(input.key).base
                var place = Place(level: nil, key: key.address)
                if input.fact == .value, let subject = Question(input, of: Question(node: keeper, key: input.key)),
                    case .cell(let cell, let distance) = look.answer(subject)
                {
                    let holder = subject.node.outwards(distance)
                    let isBeside = subject.place(at: distance) != key  // fault: graph-inherited
                    if isBeside, let holder, let kept = cell.kept {
                        pending.append((kept, holder))
                        continue
                    }
                    place.level = node.chain.enumerated().first { $0.element == holder }.map { level + $0.offset }
                    place.isElsewhere = place.level == nil
                }
                gathering.inputs.append((value, place))
                if place.level == nil { gathering.add(place, place.isElsewhere ? .elsewhere : .transient) }
            }
        }
    }

    private static func assemble(_ gathering: Gathering, _ labels: [String]) -> DependencyGraph {
        var graph = DependencyGraph(scopes: labels.reversed())
        let named = gathering.kinds.map { place, kind -> (place: Place, node: DependencyGraph.Node) in
            let key = ValueKey.at(place.key)
            let scope = place.level.map { labels.count - 1 - $0 }
            return (
                place, DependencyGraph.Node(id: 0, key: key.name, valueType: key.valueName, scope: scope, kind: kind)
            )
        }
        // By name, because the order of slots differs from run to run.
        let sorted = named.sorted { lhs, rhs in
            let order = { (node: DependencyGraph.Node) in (node.scope ?? Int.max, node.key, node.valueType) }
            return order(lhs.node) < order(rhs.node)
        }
        var ids: [Place: Int] = [:]
        for (id, entry) in sorted.enumerated() {
            ids[entry.place] = id
            var node = entry.node
            node.id = id
            graph.nodes.append(node)
        }
        let edges = Set(
            gathering.inputs.compactMap { value, input in
                ids[value].flatMap { value in ids[input].map { DependencyGraph.Edge(value: value, input: $0) } }
            }
        )
        graph.edges = edges.sorted { ($0.value, $0.input) < ($1.value, $1.input) }
        return graph
    }
}
