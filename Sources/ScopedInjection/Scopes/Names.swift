// MARK: - Names of scopes

extension EnvironmentScope {
    /// The name in quotes, for texts.
    package var displayName: String { Self.display(name) }

    static func display(_ name: String?) -> String { name.map { "\"\($0)\"" } ?? unnamed }

    /// The name, or "unnamed scope".
    var label: String { name ?? Self.unnamed }

    /// A label, in quotes if it is a name.
    static func display(label: String) -> String { label == unnamed ? label : display(label) }

    private static let unnamed = "unnamed scope"

    /// The names of the scopes of the chain that are alive, and of a parent that is gone.
    typealias NamesOfChain = (alive: [String?], gone: String??)

    /// The names of the chain; the scope has a node.
    func namesOfChain() -> NamesOfChain { node.whileReading { node.namesOfChain } }

    /// The names of the chain, for errors.
    var chainNames: [String] { Self.display(namesOfChain()) }

    /// The names for errors; a mark at the end shows a parent that is gone.
    static func display(_ names: NamesOfChain) -> [String] {
        let alive = names.alive.map { display($0) }
        return names.gone.map { alive + ["\(display($0)) (gone)"] } ?? alive
    }

    func parentReleased(_ key: ValueKey) -> ScopeError {
        let (alive, gone) = namesOfChain()
        return ScopeError(
            .parentReleased,
            key: key,
            searched: chainNames,
            detail:
                "\(Self.display(gone ?? nil)), the parent of \(Self.display(alive.last ?? nil)), is gone"
        )
    }
}

extension NodePointer {
    /// The names of the chain; the caller holds a line.
    var namesOfChain: EnvironmentScope.NamesOfChain {
        var names: [String?] = []
        var at = self
        while true {
            // Copied: the name of a scope that goes stays valid until the scope is gone.
            names.append(at.withScope { $0.name })
            guard let up = at.pointee.up else { return (names, nil) }
            guard let next = at.next else {
                return (names, .some(up.name))
            }
            at = next
        }
    }
}

// MARK: - Names of values

extension ValueKey {
    /// The value's name in texts.
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
