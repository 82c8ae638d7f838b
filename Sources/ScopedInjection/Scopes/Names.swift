// MARK: - Names of scopes

extension EnvironmentScope {
    /// The name in quotes, for texts.
    package var displayName: String { Self.display(name) }

    static func display(_ name: String?) -> String { name.map { "\"\($0)\"" } ?? "unnamed scope" }

    /// The names of the chain; the scope has a node.
    var chainNames: ChainNames { node.inspect { node.namesOfChain } }

    func parentReleased(_ key: ValueKey) -> ScopeError {
        let names = chainNames
        let (gone, child) = (Self.display(names.gone ?? nil), Self.display(names.alive.last ?? nil))
        let detail = "\(gone), the parent of \(child), is gone"
        let advice = watch?.scopeOfEnded.map { _ in "let the test await all that it starts: it has ended." }
        return ScopeError(.parentReleased, key: key, searched: names, detail: detail, advice: advice)
    }
}

/// The names of a scope and its ancestors, from the scope outwards.
package struct ChainNames: Sendable, CustomStringConvertible {
    /// Those of the scopes that are alive.
    var alive: [String?] = []
    /// That of a parent that is gone; nil if none is.
    var gone: String??

    var all: [String?] { gone.map { alive + [$0] } ?? alive }

    /// Each name as texts show it.
    package var texts: [String] {
        alive.map(EnvironmentScope.display) + (gone.map { ["\(EnvironmentScope.display($0)) (gone)"] } ?? [])
    }

    package var description: String { texts.joined(separator: " → ") }
}

extension NodePointer {
    /// The names of the chain; the caller holds a line.
    var namesOfChain: ChainNames {
        var names = ChainNames()
        var at = self
        while true {
            // Copied: the name of a scope that goes stays valid until the scope is gone.
            if !at.pointee.flags.contains(.part) { names.alive.append(at.withScope { $0.name }) }
            guard let up = at.pointee.up else { return names }
            guard let next = at.next else {
                names.gone = .some(up.name)
                return names
            }
            at = next
        }
    }
}

// MARK: - Names of values

extension ValueKey {
    /// The value's name in texts.
    @inline(never)
    package var name: String { declaration.name }

    /// The value's name, with the name of its type.
    var typedName: String { "\(name) (\(valueName))" }

    /// The name of the value's type, without modules.
    package var valueName: String { TypeName.written(valueType) }

    /// Where the value was declared.
    package var location: ScopeError.Location {
        ScopeError.Location(SourcePlace(fileID: declaration.fileID, line: declaration.line))
    }
}
