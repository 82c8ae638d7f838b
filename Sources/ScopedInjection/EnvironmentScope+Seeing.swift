extension EnvironmentScope: CustomStringConvertible, CustomDebugStringConvertible {
    /// The names of the scope and of those it gets values from.
    public var description: String {
        guard let scope = standIn else { return "EnvironmentScope(gone)" }
        return "EnvironmentScope(\(scope.chainNames.joined(separator: " → ")))"
    }

    /// The scope and those it gets values from, with the keys each has: names and types, never values.
    public var debugDescription: String {
        guard let scope = standIn else { return description }
        var lines = [description]
        for scope in scope.chain {
            lines.append("  \(scope.displayName)\(scope.isClosed ? " (closed)" : "")")
            lines += scope.ownEntries.map { "    \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    private var ownEntries: [String] {
        let entries = look { table in
            var entries: [(Any.Type, String, Any.Type?)] = []
            table.forEachSlot { slot in
                let key = slot.keyType
                if let cell = slot.own?.takeUnretainedValue() { entries.append((key, "set", cell.valueType)) }
                if slot.provider != nil { entries.append((key, "provided", nil)) }
                if let alias = slot.alias { entries.append((key, "alias of", alias.target.type)) }
                if let kept = slot.kept { entries.append((key, "kept", kept.valueType)) }
            }
            return entries
        }
        return entries.map { key, kind, type in
            "\(readableName(of: key)): \(kind)\(type.map { " \(readableName(of: $0))" } ?? "")"
        }.sorted()
    }
}
