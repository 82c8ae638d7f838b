import Synchronization

/// Under which names a key's value may lie.
extension EnvironmentScope {
    /// The key that stands for `key` here, followed by all keys that are one with it.
    func names(of key: AnyKey) throws(ScopeError) -> [AnyKey] {
        guard Alias.isInUse else { return [key] }
        var targets: [AnyKey: AnyKey] = [:]
        for scope in chain {
            for alias in scope.ownAliases where targets[alias.key] == nil { targets[alias.key] = alias.target }
        }
        let canonical = try Self.end(of: key, in: targets)
        var names = [canonical]
        for name in targets.keys {
            if name != canonical, try Self.end(of: name, in: targets) == canonical { names.append(name) }
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

    private var ownAliases: [Alias] {
        look { table in
            var aliases: [Alias] = []
            table.forEachSlot { slot in if let alias = slot.alias { aliases.append(alias) } }
            return aliases
        }
    }

    var declaresAliases: Bool { Alias.isInUse && !ownAliases.isEmpty }
}

extension Alias {
    /// Whether any scope has ever declared an alias; as long as none has, nobody looks for one.
    static var isInUse: Bool { inUse.load(ordering: .acquiring) }

    static func noteUse() { inUse.store(true, ordering: .releasing) }

    private static let inUse = Atomic(false)
}
