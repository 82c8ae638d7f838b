/// Where a value comes from, whether it is there, what it was built from, and what would make it be built anew.
///
/// ```swift
/// logger.info("\(request.explain(\.database))")
/// // the Database declared at Notes/Values.swift:6: its own default, built and kept in "app"
/// //   the String declared at Notes/Values.swift:5: set in "app"
/// //   rebuilt when one of these changes: the String declared at Notes/Values.swift:5
/// ```
///
/// A snapshot: it says what was true when `explain(_:)` was called.
public struct Explanation: Sendable, CustomStringConvertible {
    /// What decides on the value.
    public enum Source: Sendable, Hashable {
        /// A value that is set in a scope.
        case set
        /// A builder that was given to a scope with `provide`.
        case provided
        /// The value's own builder, or its default.
        case `default`
        /// None: see ``Explanation/problem``.
        case unknown
    }

    /// The name of the value that was asked for, as texts show it.
    public let key: String

    /// The name of the value's type.
    public let valueType: String

    /// The name of the value that this one is an alias of in the scope, at the end of all aliases; nil where it is none.
    public internal(set) var aliasOf: String?

    private let typedName: String

    /// What decides on the value.
    public internal(set) var source = Source.unknown

    /// The name of the scope in which the value is set or its builder was provided; nil for its own default.
    ///
    /// A scope without a name is an "unnamed scope".
    public internal(set) var scope: String?

    /// Where in the source the builder was provided; nil for what was not provided.
    public internal(set) var location: ScopeError.Location?

    /// How long the value is kept once it is built.
    public let lifetime: ValueLifetime

    /// The name of the scope that keeps the value, which was built; nil where it would have to be built, and for set
    /// values.
    public internal(set) var keptIn: String?

    /// What the value was built from, in the order in which its builder read it; empty where nothing is kept.
    public internal(set) var inputs: [Explanation] = []

    /// Why a read would fail, as far as that can be told without building; nil where nothing is wrong.
    public internal(set) var problem: ScopeError?

    /// The value, where its type allows that by ``ScopeDescribable``.
    public internal(set) var shownValue: String?

    /// Whether the value is there: set, or built and kept.
    public var isThere: Bool { source == .set || keptIn != nil }

    /// The values whose change makes a kept one be built anew at the next read, by name, however far from it.
    ///
    /// To set, provide or remove a value for one of them, in the scope that keeps this value or further out, is such a
    /// change. In a scope further in, it makes that scope build a value of its own.
    public var rebuiltByChangesOf: [String] {
        guard keptIn != nil else { return [] }
        var names: [String] = []
        var pending = Array(inputs.reversed())
        while let input = pending.popLast() {
            guard !names.contains(input.key) else { continue }
            names.append(input.key)
            pending += input.inputs.reversed()
        }
        return names
    }

    init(_ key: ValueKey) {
        self.key = key.name
        typedName = key.typedName
        valueType = key.valueName
        lifetime = key.lifetime
    }

    /// The whole explanation, a line for each value, indented below what was built from it.
    public var description: String {
        var lines: [String] = []
        var seen: Set<String> = []
        append(to: &lines, indentation: "", seen: &seen)
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

    private func append(to lines: inout [String], indentation: String, seen: inout Set<String>) {
        var line = "\(indentation)\(typedName): \(state)"
        let isNew = seen.insert(key).inserted
        if !isNew, !inputs.isEmpty { line += ", see above" }
        lines.append(line)
        if let problem {
            lines += problem.description.split(separator: "\n").map { "\(indentation)  \($0)" }
        }
        guard isNew else { return }
        for input in inputs { input.append(to: &lines, indentation: indentation + "  ", seen: &seen) }
    }

    private var state: String {
        var parts: [String] = []
        if let aliasOf { parts.append("an alias of \(aliasOf)") }
        let place = scope.map { " in \(EnvironmentScope.display(label: $0))" } ?? ""
        switch source {
        case .set: parts.append("set\(place)\(shown)")
        case .provided: parts.append("provided\(place)\(location.map { " (\($0))" } ?? "")")
        case .default: parts.append("its own default")
        case .unknown: parts.append("no value")
        }
        if let keptIn {
            parts.append("built and kept in \(EnvironmentScope.display(label: keptIn))\(shown)")
        } else if source == .provided || source == .default {
            parts.append(lifetime == .transient ? "built at each read" : "not built yet")
        }
        return parts.joined(separator: ", ")
    }

    private var shown: String { shownValue.map { ": \($0)" } ?? "" }
}
