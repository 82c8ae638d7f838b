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
    func namesOfChain() -> NamesOfChain { node?.whileReading { node?.namesOfChain } ?? ([], nil) }

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
                // Whoever reads through a scope that a builder made is told of the scope that it stands for.
                return (names, .some(up._withUnsafeGuaranteedRef { ($0.standIn ?? $0).name }))  // fault: gone-named
            }
            at = next
        }
    }
}

// MARK: - Names of values

extension ValueKey {
    /// The value's name in texts.
    package var name: String {
        switch declaration {
        case .type(let type): return readableName(of: type)
        case .value(let name?, _, _): return name
        case .value(nil, let fileID, let line): return "the \(valueName) declared at \(fileID):\(line)"
        }
    }

    /// The value's name, with the name of its type unless the name contains it.
    var typedName: String {
        if case .value(nil, _, _) = declaration { name } else { "\(name) (\(valueName))" }
    }

    /// The name of the value's type.
    package var valueName: String { readableName(of: valueType) }
}

/// The name of a type without modules, and without the marks of file-private and local types.
func readableName(of type: Any.Type) -> String {
    var result = ""
    var word = ""
    /// The names before the current one, since the last character that is not part of a name.
    var parts: [String] = []
    func endName() {
        guard !word.isEmpty else { return }
        // Without the module.
        result += (parts.dropFirst() + [word]).joined(separator: ".")
        word = ""
        parts = []
    }
    let text = withoutContexts(String(reflecting: type))
    var previous: Character = " "
    for character in text {
        if character == ".", previous != ".", !word.isEmpty {
            parts.append(word)
            word = ""
        } else if character.isLetter || character.isNumber || character == "_" || character == "`" {
            word.append(character)
        } else {
            endName()
            result.append(character)
        }
        previous = character
    }
    endName()
    return result
}

/// Removes `(unknown context at $…).`, which stands before file-private and local types, and `(extension in …):`, which stands
/// before types that are declared within one of another module.
private func withoutContexts(_ text: String) -> String {
    var rest = Substring(text)
    var result = ""
    while let start = rest.firstContext {
        result += rest[..<start]
        guard let end = rest[start...].firstIndex(of: ")") else { break }
        rest = rest[rest.index(after: end)...]
        if rest.first == "." || rest.first == ":" { rest = rest.dropFirst() }
    }
    return result + rest
}

extension Substring {
    fileprivate var firstContext: Index? {
        indices.first {
            self[$0] == "("
                && (self[$0...].hasPrefix("(unknown context at ") || self[$0...].hasPrefix("(extension in "))
        }
    }
}
