/// A key whose type is known only at run time.
struct AnyKey: Hashable, Sendable {
    let type: any ScopeKey.Type

    init(_ type: any ScopeKey.Type) { self.type = type }

    var id: ObjectIdentifier { ObjectIdentifier(type) }

    /// The key's name as it is written in source: no module, no marks of privacy.
    var name: String { readableName(of: type) }

    /// The name of the type of the key's values.
    var valueName: String { readableName(of: type.valueType) }

    static func == (lhs: AnyKey, rhs: AnyKey) -> Bool { lhs.id == rhs.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The keys under which one value may lie.
struct KeyNames {
    /// The key that stands for all of them.
    let canonical: AnyKey
    /// Those that are aliases of it.
    var others: [AnyKey] = []

    func forEach(_ body: (AnyKey) -> Void) {
        body(canonical)
        for other in others { body(other) }
    }
}

extension ScopeKey {
    fileprivate static var valueType: Any.Type { Value.self }
}

/// The name of a type without its module and without the marks that file-private and local types carry.
func readableName(of type: Any.Type) -> String {
    var parts = String(reflecting: type).split(separator: ".", omittingEmptySubsequences: true).map(String.init)
    // With arguments, the short form is the one without modules throughout.
    guard parts.count > 1, !parts.contains(where: { $0.contains("<") }) else { return String(describing: type) }
    parts.removeFirst()
    parts.removeAll { $0.hasPrefix("(unknown context at ") }
    return parts.joined(separator: ".")
}
