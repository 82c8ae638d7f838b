/// Where a value comes from, whether it is there, what it was built from, and which changes would rebuild it.
///
/// ```swift
/// logger.info("\(request.explain(\.database))")
/// // database (Database): its own default (Shop/Values.swift:5), built and kept in "app"
/// //   databasePath (String): set in "app"
/// //   rebuilt when one of these changes: databasePath
/// ```
///
/// It is a snapshot of the moment when `explain(_:)` was called.
public struct Explanation: Sendable, CustomStringConvertible, CustomReflectable {
    /// The origin of a value.
    public enum Source: Sendable, Hashable {
        /// The value is set in a scope.
        case set
        /// A builder was given to a scope with `provide`.
        case provided
        /// Another value was given to a scope for it with `alias`: the only one of ``Explanation/inputs``.
        case alias
        /// A scope was given decorations with `decorate` or `modify`: see ``Explanation/decorations``.
        case decorated
        /// The value's own builder, or its default.
        case `default`
        /// There is no value: see ``Explanation/problem``.
        case unknown
    }

    private let key: ValueKey

    /// The name of the value that was asked for, as texts show it.
    public var name: String { key.name }

    /// The name of the value's type.
    public var valueType: String { key.valueName }

    /// The origin of the value.
    public internal(set) var source = Source.unknown

    /// The name of the scope in which the value is set or its builder was provided; nil for its own default.
    ///
    /// A scope without a name is an "unnamed scope".
    public internal(set) var scope: String?

    /// The place in the source where the builder was provided, or for its own default where the value is declared; nil for a set
    /// value, and for decorations of what lies further out.
    public internal(set) var location: ScopeError.Location?

    /// The places in the source where the scope was given decorations, the innermost first.
    public internal(set) var decorations: [ScopeError.Location] = []

    var isSetBelow = false

    /// How long the value is kept once it is built; an alias never is.
    public var lifetime: ValueLifetime { source == .alias ? .transient : key.lifetime }

    /// The name of the scope that keeps the built value; nil for a set value, and for one that is not built.
    public internal(set) var keptIn: String?

    /// The values it was built from, in the order in which they were read; empty if nothing is kept, but for an alias.
    ///
    /// What it was built from by way of another one of them is an input of that one.
    public internal(set) var inputs: [Explanation] = []

    /// The reason why a read would fail, if that is known without building; nil if none is known.
    public internal(set) var problem: ScopeError?

    /// The value as text, if its type conforms to ``ScopeDescribable``.
    public internal(set) var shownValue: String?

    /// Whether the value is there: set, or built and kept; for an alias, whether the other value is.
    public var isThere: Bool { source == .set || keptIn != nil || source == .alias && inputs[0].isThere }

    /// The names of the values whose change makes the next read rebuild the kept value, inputs of inputs included.
    ///
    /// A change is to set, provide or remove a value for one of them in the scope that keeps this value or further
    /// out. In a scope further in, it makes that scope build a value of its own.
    public var rebuiltByChangesOf: [String] {
        guard keptIn != nil else { return [] }
        let names = walk().dropFirst().filter(\.isNew).map(\.explanation.name)
        // Two values may have one name.
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }

    init(_ key: ValueKey) { self.key = key }

    /// This explanation and those of its inputs, with how deep each lies; the inputs of one that came before are left out.
    private func walk() -> [(depth: Int, explanation: Explanation, isNew: Bool)] {
        var result: [(Int, Explanation, Bool)] = []
        var seen: Set<ValueKey> = []
        var pending = [(0, self)]
        while let (depth, explanation) = pending.popLast() {
            let isNew = seen.insert(explanation.key).inserted
            result.append((depth, explanation, isNew))
            if isNew { pending += explanation.inputs.reversed().map { (depth + 1, $0) } }
        }
        return result
    }

    /// The whole explanation: a line for each value, inputs indented below the value that was built from them.
    public var description: String {
        var lines: [String] = []
        for (depth, explanation, isNew) in walk() {
            let indentation = String(repeating: "  ", count: depth)
            let remark = !isNew && !explanation.inputs.isEmpty ? ", see above" : ""
            lines.append("\(indentation)\(explanation.key.typedName): \(explanation.state)\(remark)")
            let problem = explanation.problem?.description.split(separator: "\n") ?? []
            lines += problem.map { "\(indentation)  \($0)" }
        }
        if keptIn != nil {
            let keys = rebuiltByChangesOf
            lines.append(
                keys.isEmpty
                    ? "  built from nothing that can change"
                    : "  rebuilt when one of these changes: \(keys.joined(separator: ", "))"
            )
        }
        return lines.joined(separator: "\n")
    }

    private var state: String {
        var parts: [String] = []
        let place = scope.map { " in \(EnvironmentScope.display(label: $0))" } ?? ""
        switch source {
        case .set: parts.append("set\(place)\(shown)")
        case .provided: parts.append("provided\(place)\(location.map { " (\($0))" } ?? "")")
        case .alias: parts.append("an alias\(place)\(location.map { " (\($0))" } ?? "")")
        case .decorated:
            let origin = location.map { "what is provided there (\($0))" }
            let below = origin ?? (isSetBelow ? "what is set there" : "what lies further out")
            let places = decorations.map { "\($0)" }.joined(separator: ", ")
            parts.append("decorated\(place) (\(places)) over \(below)")
        case .default: parts.append("its own default\(location.map { " (\($0))" } ?? "")")
        case .unknown: parts.append("no value")
        }
        if let keptIn {
            parts.append("built and kept in \(EnvironmentScope.display(label: keptIn))\(shown)")
        } else if source == .provided || source == .decorated || source == .default && key.ownDefault != .constant {
            parts.append(lifetime == .transient ? "built at each read" : "not built yet")
        }
        return parts.joined(separator: ", ")
    }

    /// A mirror without children, so that `dump` shows the text, and no input twice.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }

    private var shown: String { shownValue.map { ": \($0)" } ?? "" }
}
