import Synchronization

/// Gathers what is known of values, by the same search as reads, at one moment.
struct Gathering {
    /// A value that is there, in the scope at a level, or one that is not, as that scope asks for it.
    private struct Vertex: Hashable {
        let key: UnsafeRawPointer
        let past: UInt64
        let level: Int
        let isThere: Bool
    }

    private let chain: [NodePointer]
    /// The names of the scopes, from the one that asks outwards.
    let names: [String?]
    private let progress: [NodePointer.Progress]
    private(set) var all: [Facts] = []
    private var values: [Any?] = []
    private var indices: [Vertex: Int] = [:]
    /// What was let go of and is held.
    private var held: [(index: Int, resource: Resource, scope: EnvironmentScope?)] = []
    private var kept: [(index: Int, kept: UnsafeMutablePointer<Kept>, level: Int)] = []

    /// The caller holds a line.
    private init(_ node: NodePointer, _ builds: [(keeper: NodePointer, build: Build)]) {
        chain = Array(node.chain)
        names = chain.map { $0.withScope { $0.name } }
        progress = chain.map { $0.progress(builds) }
    }

    /// What is known of a value, as a scope sees it, and of all that it was built from.
    static func facts(about key: ValueKey, in scope: EnvironmentScope) -> [Facts] {
        gather(scope) { gathering in
            gathering.ask(for: key.address, at: 0)
            gathering.follow(withReasons: true)
        }.all
    }

    /// What is known of what a scope itself has.
    static func facts(of scope: EnvironmentScope) -> [Facts] {
        gather(scope) { for key in scope.node.keys() { $0.ask(for: key.address, at: 0) } }.all
    }

    /// What a scope and its ancestors have, and what that was built from.
    static func everything(in scope: EnvironmentScope) -> Gathering {
        gather(scope) { gathering in
            for (level, node) in gathering.chain.enumerated() {
                for key in node.keys() where node.holds(key) { gathering.ask(for: key.address, at: level) }
            }
            gathering.follow(withReasons: false)
            gathering.addWhatIsGone()
        }
    }

    private static func gather(_ scope: EnvironmentScope, _ body: (inout Gathering) -> Void) -> Gathering {
        let builds = Announcing.all(scope.node.pointee.lines)
        var gathering = scope.node.inspect {
            var gathering = Gathering(scope.node, builds)
            body(&gathering)
            return gathering
        }
        gathering.addTexts()
        return gathering
    }

    /// The index of what is known of a value.
    @discardableResult
    private mutating func ask(for key: UnsafeRawPointer, past: UInt64 = 0, at level: Int) -> Int {
        var vertex = Vertex(key: key, past: past, level: level, isThere: false)
        let found = Look.find(key, past: past, from: chain[level])
        if found.cell != nil { vertex = Vertex(key: key, past: 0, level: level + Int(found.level), isThere: true) }
        if let known = indices[vertex] { return known }
        indices[vertex] = all.count
        values.append(found.cell?.anyValue)
        all.append(facts(about: vertex, found.cell))
        return all.count - 1
    }

    private mutating func facts(about vertex: Vertex, _ cell: Cell?) -> Facts {
        let key = ValueKey.at(vertex.key)
        var facts = Facts(key)
        let decision = Look.decide(vertex.key, past: vertex.past, from: chain[vertex.level])
        if !decision.isNowhere, !decision.isDefault || key.ownDefault != .none || key.hasTestValue {
            facts.take(decision, vertex.level, names)
        }
        if cell != nil { facts.level = vertex.level }
        if let kept = cell?.kept {
            facts.keeper = .some(names[vertex.level])
            if kept.pointee.isOnce, kept.pointee.decision != decision.version { facts.takeFormerSource(kept) }
            self.kept.append((all.count, kept, vertex.level))
        }
        // What is not there is built for who asks, or for a scope up to the one that has the builder.
        let last = facts.level ?? chain.count - 1
        if let level = (vertex.level...last).first(where: { progress[$0][key] != nil }) {
            take(progress[level][key], &facts, all.count, level)
            facts.level = facts.level ?? level
        }
        return facts
    }

    private mutating func take(_ times: NodePointer.Times?, _ facts: inout Facts, _ index: Int, _ level: Int) {
        guard let times else { return }
        (facts.building, facts.ending) = (times.building, times.ending)
        if let resource = times.held { held.append((index, resource, chain[level].aliveScope)) }
    }

    /// Finds what the values were built from, and what that was.
    private mutating func follow(withReasons: Bool) {
        var next = 0
        while next < kept.count {
            let (index, kept, level) = kept[next]
            let inputs = kept.directInputs(in: chain[level])
            all[index].inputs = inputs.map { ask(for: $0.key, past: $0.past, at: level) }
            if withReasons { all[index].reason = Keeping(kept, of: all[index].key, in: chain[level], inputs) }
            next += 1
        }
    }

    /// Adds what is not there, and is being built or ended.
    private mutating func addWhatIsGone() {
        for (level, progress) in progress.enumerated() {
            for (key, times) in progress where !all.contains(where: { $0.key == key && $0.level == level }) {
                var facts = Facts(key)
                facts.level = level
                take(times, &facts, all.count, level)
                all.append(facts)
            }
        }
    }

    /// Adds what the values say themselves, when no line is held.
    private mutating func addTexts() {
        for (index, resource, scope) in held {
            if let node = scope?.node { all[index].holders = node.whileWriting { node.holders(of: resource) } }
        }
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            all[index].making = (value as? any Awaited)?.making
            // Scopes hold passwords and tokens, so of all other types nothing is shown.
            all[index].shown =
                (value as? Int)?.description ?? (value as? Bool)?.description ?? (value as? Double)?.description
        }
    }
}

extension Facts {
    /// Says what a read goes by that a scope at a level asks for.
    fileprivate mutating func take(_ decision: Look, _ asking: Int, _ names: [String?]) {
        source = decision.cell == nil ? .ownDefault : .set
        if decision.isDefault {
            location = key.location
        } else {
            level = asking + Int(decision.level)
            scope = level.flatMap { names[$0] }
        }
        guard let provider = decision.provider?.object else { return }
        source = provider.decorations.isEmpty ? .provided : .decorated
        decorations = provider.decorations.map { ScopeError.Location($0) }
        switch provider.origin {
        case .given(let place): location = ScopeError.Location(place)
        case .set: isSetBelow = true
        case .beyond: break
        }
    }

    /// Says by what a value was built that has stayed, while something else decides now.
    fileprivate mutating func takeFormerSource(_ kept: UnsafeMutablePointer<Kept>) {
        isFormer = true
        source = kept.pointee.decision == Input.byDefault ? .ownDefault : .provided
        (scope, location, decorations) = (nil, source == .ownDefault ? key.location : nil, [])
    }
}

/// The caller holds a line.
extension UnsafeMutablePointer where Pointee == Node {
    typealias Times = (building: Duration?, ending: Duration?, held: Resource?)
    typealias Progress = [ValueKey: Times]

    /// Whether the scope itself has a value that is up to date, or a builder.
    fileprivate func holds(_ key: ValueKey) -> Bool {
        let found = Look.find(key.address, from: self)
        return found.ownCell != nil || found.level == 0 && found.provider != nil
    }

    /// What runs now for values that this scope keeps, or would keep: a builder, the end of a former value.
    fileprivate func progress(_ builds: [(keeper: NodePointer, build: Build)]) -> Progress {
        var all = Progress()
        if pointee.flags.contains(.pending) {
            for resource in Ending.shared.pending(of: self) {
                guard let value = resource.value, let since = resource.since else { continue }
                all[value] = (nil, max(all[value]?.ending ?? .zero, since.time), resource.hasBegun ? nil : resource)
            }
        }
        if let turn = pointee.turn, let value = turn.value, let since = turn.since {
            all[value, default: (nil, nil, nil)].ending = since.time
        }
        for (keeper, build) in builds where keeper == self {
            all[build.key, default: (nil, nil, nil)].building = build.since?.time ?? .zero
        }
        return all
    }
}
