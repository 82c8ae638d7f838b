import Synchronization

extension EnvironmentScope {
    /// The names of a key here.
    func names(of key: AnyKey) throws(ScopeError) -> KeyNames {
        guard Alias.isInUse else { return KeyNames(canonical: key) }
        var targets: [AnyKey: AnyKey] = [:]
        for scope in chain {
            for alias in scope.ownAliases where targets[alias.key] == nil { targets[alias.key] = alias.target }
        }
        let canonical = try Self.end(of: key, in: targets)
        var names = KeyNames(canonical: canonical)
        for name in targets.keys {
            // A circle of other keys is no error here.
            if name != canonical, (try? Self.end(of: name, in: targets)) == canonical { names.others.append(name) }
        }
        return names
    }

    private static func end(of key: AnyKey, in targets: [AnyKey: AnyKey]) throws(ScopeError) -> AnyKey {
        var path = [key]
        while let next = targets[path[path.count - 1]] {
            let isCycle = path.contains(next)
            path.append(next)
            if isCycle {
                var error = ScopeError(.cycle, key: key, detail: "aliases")
                error.path = path.map(\.name)
                throw error
            }
        }
        return path[path.count - 1]
    }

    /// Which key a name stands for here, as an input; nil for one that is no alias.
    ///
    /// It comes from the outermost scope in which the name stands for the same other key as here, and in all between.
    func aliasInput(of name: AnyKey) -> Provenance.Input? {
        guard Alias.isInUse else { return nil }
        let target = aliasTarget(of: name)
        guard target != UInt64(UInt(bitPattern: name.id)) else { return nil }
        let owner = chain.prefix { $0.aliasTarget(of: name) == target }.last
        return Provenance.Input(key: name, fact: .alias, version: target, owner: owner.map { ObjectIdentifier($0) })
    }

    /// The identity of the key a name stands for here; 0 where its aliases go round in a circle.
    private func aliasTarget(of name: AnyKey) -> UInt64 {
        (try? names(of: name)).map { UInt64(UInt(bitPattern: $0.canonical.id)) } ?? 0
    }

    private var ownAliases: [Alias] {
        look { table in
            var aliases: [Alias] = []
            table.forEachSlot { slot in if let alias = slot.alias { aliases.append(alias) } }
            return aliases
        }
    }
}

extension Alias {
    /// Whether any scope has ever declared an alias; as long as none has, nobody looks for one.
    static var isInUse: Bool { inUse.load(ordering: .acquiring) }

    static func noteUse() { inUse.store(true, ordering: .releasing) }

    private static let inUse = Atomic(false)
}
