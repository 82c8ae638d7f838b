/// Where a value comes from, what it was built from, why it is kept where it is, which changes would rebuild it, and what runs now.
///
/// ```swift
/// logger.info("\(request.explain(\.database))")
/// // database (Database): its own default (Shop/Values.swift:5), built and kept in "app"
/// //   databasePath (String): set in "app"
/// //   kept in "app" because databasePath (String) is set there
/// //   rebuilt when one of these changes: databasePath
/// ```
///
/// The text says all; the properties are what a test asks for. It is a snapshot of the moment when `explain(_:)` was called, and may be
/// used from any thread.
public struct ScopeExplanation: Sendable, CustomStringConvertible {
    /// The facts about all values that the explanation is about, in one array, so that it may be of any depth.
    private let all: [Facts]
    private let index: Int
    private var facts: Facts { all[index] }

    init(_ all: [Facts], _ index: Int = 0) { (self.all, self.index) = (all, index) }

    /// The name of the value, as texts show it.
    public var name: String { facts.key.name }

    /// The name of the value's type.
    public var valueType: String { facts.key.valueName }

    /// The name of the scope in which the value is set, provided or decorated; nil if that has none, and for its own default.
    public var scope: String? { facts.scope }

    /// The name of the scope that has built the value and keeps it; nil if that has none, and if no scope does: see ``keptBecause``.
    public var keptIn: String? { facts.keeper ?? nil }

    /// Why that scope keeps it, and none further out, which more scopes would share; nil if no scope keeps it.
    ///
    /// It is half a sentence, in which *there* is that scope: `requestID (String), by way of label, is set there`.
    public var keptBecause: String? { facts.reason?.text }

    /// The values it was built from, in the order in which they were read; empty if no scope keeps it.
    ///
    /// What it was built from by way of another one of them is an input of that one.
    public var inputs: [ScopeExplanation] { facts.inputs.map { ScopeExplanation(all, $0) } }

    /// The reason why a read would fail, if that is known without building; nil if none is known.
    public var problem: ScopeError? { facts.problem }

    /// The value as text, if it is a number or a Boolean; nil for all others, because scopes hold passwords and tokens.
    public var shownValue: String? { facts.shown }

    /// The whole explanation: a line for each value, inputs indented below the value that was built from them.
    public var description: String {
        var lines: [String] = []
        for (depth, facts, isNew) in walk() {
            let indentation = String(repeating: "  ", count: depth)
            lines.append("\(indentation)\(facts.line)\(isNew || facts.inputs.isEmpty ? "" : ", see above")")
            let problem = facts.problem?.description.split(separator: "\n") ?? []
            lines += problem.map { "\(indentation)  \($0)" }
        }
        if let keeper = facts.keeper { lines += linesOfKeeping(EnvironmentScope.display(keeper)) }
        return lines.joined(separator: "\n")
    }

    /// The value and its inputs, with how deep each lies; the inputs of one that came before are left out.
    ///
    /// - Parameter intoStaying: Whether with the inputs of those that stay, which do not follow them.
    private func walk(intoStaying: Bool = true) -> [(depth: Int, facts: Facts, isNew: Bool)] {
        var (result, pending) = ([(Int, Facts, Bool)](), [(0, index)])
        // What a decoration was given has the key of the decorated value.
        var isSeen = Array(repeating: false, count: all.count)
        while let (depth, index) = pending.popLast() {
            let (facts, isNew) = (all[index], !isSeen[index])
            isSeen[index] = true
            result.append((depth, facts, isNew))
            if isNew, intoStaying || !facts.isOnce { pending += facts.inputs.reversed().map { (depth + 1, $0) } }
        }
        return result
    }

    /// Why the value is kept where it is, and for how long.
    private func linesOfKeeping(_ keeper: String) -> [String] {
        let lines = keptBecause.map { ["  kept in \(keeper) because \($0)"] } ?? []
        if facts.isOnce {
            return lines + [
                "  stays until \(keeper) is closed; a set, a removal or a discard of it there begins another"
            ]
        }
        // A change in a scope further in makes that build a value of its own. Two values may have one name.
        var known: Set<String> = []
        let names = walk(intoStaying: false).dropFirst().map(\.facts.key.name).filter { known.insert($0).inserted }
        if !names.isEmpty { return lines + ["  rebuilt when one of these changes: \(names.joined(separator: ", "))"] }
        switch facts.reason {
        case .policy, .closed: return lines
        default: return lines + ["  built from nothing that can change"]
        }
    }
}
