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

    /// The deepest scope without whose alias a read of the key here would be of another one; nil where there is none.
    ///
    /// Of several scopes that say the same it is the outermost: those below it see nothing else than it does.
    func aliasingScope(of key: AnyKey) -> EnvironmentScope? {
        guard Alias.isInUse else { return nil }
        let chain = chain
        let aliases = chain.map { scope in scope.ownAliases }
        var key = key
        var followed: Set<AnyKey> = []
        var deepest = chain.count
        while followed.insert(key).inserted {
            let declarations = aliases.enumerated().compactMap { index, aliases in
                aliases.first { $0.key == key }.map { (index, $0.target) }
            }
            guard let target = declarations.first?.1 else { break }
            if let outermost = declarations.prefix(while: { $0.1 == target }).last {
                deepest = min(deepest, outermost.0)
            }
            key = target
        }
        return deepest < chain.count ? chain[deepest] : nil
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
