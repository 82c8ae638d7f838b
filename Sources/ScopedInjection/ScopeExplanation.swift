/// Where a value comes from, whether it is there, what it was built from, why it is kept where it is, and which changes would rebuild it.
///
/// ```swift
/// logger.info("\(request.explain(\.database))")
/// // database (Database): its own default (Shop/Values.swift:5), built and kept in "app"
/// //   databasePath (String): set in "app"
/// //   kept in "app" because databasePath (String) is set there
/// //   rebuilt when one of these changes: databasePath
/// ```
///
/// It is a snapshot of the moment when `explain(_:)` was called.
public struct ScopeExplanation: Sendable, CustomStringConvertible, CustomReflectable {
    /// The origin of a value.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Source: Sendable, Hashable {
        /// The value is set in a scope.
        case set
        /// A builder was given to a scope with `provide`.
        case provided
        /// A scope was given decorations with `decorate` or `modify`: see ``ScopeExplanation/decorations``.
        case decorated
        /// The value's own builder, or its default.
        case `default`
        /// There is no value: see ``ScopeExplanation/problem``.
        case unknown
    }

    /// How far a deferred value is.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Making: Sendable, CustomStringConvertible {
        /// No run has ended, and none goes.
        case notYet
        /// A run makes it, for so long by now.
        case inProgress(for: Duration)
        /// The last run threw; the next await starts another.
        case failed(any Error)
        /// It is there.
        case made

        /// A part of a sentence.
        public var description: String {
            switch self {
            case .notYet: "not made yet"
            case .inProgress(let time): "being made for \(time.text)"
            case .failed(let error):
                "failed with \("\((error as? ScopeError)?.underlyingError ?? error)".prefix { !$0.isNewline })"
            case .made: "made"
            }
        }
    }

    /// What is known of one value.
    struct Facts: Sendable {
        let key: ValueKey
        var source = Source.unknown
        var scope: String?
        var location: ScopeError.Location?
        var decorations: [ScopeError.Location] = []
        var isSetBelow = false
        /// Whether something else decides by now.
        var isFormer = false
        /// The name of the keeper; the outer nil if there is none.
        var keeper: String??
        var keptBecause: KeepingReason?
        var problem: ScopeError?
        var progress = Progress()
        var shownValue: String?
        var making: Making?
        /// The indices of the inputs.
        var inputs: [Int] = []
    }

    /// The facts about all values that the explanation is about, in one array, so that it may be of any depth.
    private let all: [Facts]
    private let index: Int
    private var facts: Facts { all[index] }

    init(_ all: [Facts], _ index: Int = 0) { (self.all, self.index) = (all, index) }

    /// The name of the value that was asked for, as texts show it.
    public var name: String { facts.key.name }

    /// The name of the value's type.
    public var valueType: String { facts.key.valueName }

    /// The origin of the value.
    public var source: Source { facts.source }

    /// The name of the scope in which the value is set, provided or decorated; nil if that has none, and for its own default: see
    /// ``source-swift.property``.
    public var scope: String? { facts.scope }

    /// The place in the source where the builder was provided, or for its own default where the value is declared; nil for a set
    /// value, and for decorations of what lies further out.
    public var location: ScopeError.Location? { facts.location }

    /// The places in the source where the scope was given decorations, the innermost first.
    public var decorations: [ScopeError.Location] { facts.decorations }

    /// How long the value is kept once it is built.
    public var lifetime: ValueLifetime { facts.key.lifetime }

    /// Whether a scope keeps the value because it has built it; false for a set value, and for one that is not built.
    public var isKept: Bool { facts.keeper != nil }

    /// The name of the scope that keeps the built value; nil if that has none, or if no scope keeps it: see ``isKept``.
    public var keptIn: String? { facts.keeper ?? nil }

    /// Why that scope keeps it, and none further out, which more scopes would share; nil if no scope keeps it.
    public var keptBecause: KeepingReason? { facts.keptBecause }

    /// The values it was built from, in the order in which they were read; empty if nothing is kept.
    ///
    /// What it was built from by way of another one of them is an input of that one.
    public var inputs: [ScopeExplanation] { facts.inputs.map { ScopeExplanation(all, $0) } }

    /// For how long a builder of the value has been running; nil if none is.
    ///
    /// It is known from the begin of the builder where somebody observes, else from when another thread first waited for it, and zero
    /// if none has.
    public var beingBuiltFor: Duration? { facts.progress.building }

    /// For how long cleanups of a former instance have been due or running: it was let go of and has not ended; nil if there is none.
    public var beingEndedFor: Duration? { facts.progress.ending }

    /// How far a ``Deferred`` value is that is there; nil for other values.
    public var making: Making? { facts.making }

    /// The reason why a read would fail, if that is known without building; nil if none is known.
    public var problem: ScopeError? { facts.problem }

    /// The value as text, if its type conforms to ``ScopeDescribable``.
    public var shownValue: String? { facts.shownValue }

    /// Whether the value is there: set, or built and kept.
    public var isThere: Bool { source == .set || isKept }

    private var isOnce: Bool { if case .once = lifetime { true } else { false } }

    /// The names of the values whose change makes the next read rebuild the kept value, inputs of inputs included.
    ///
    /// It is empty for a value that stays (``ValueLifetime/once(in:)``). A change is to set, provide or remove a value for one of them in the scope that keeps this value or further
    /// out. In a scope further in, it makes that scope build a value of its own.
    public var rebuiltByChangesOf: [String] {
        guard isKept, !isOnce else { return [] }
        let names = walk(intoStaying: false).dropFirst().filter(\.isNew).map(\.explanation.name)
        // Two values may have one name.
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }

    /// This explanation and those of its inputs, with how deep each lies; the inputs of one that came before are left out.
    ///
    /// - Parameter intoStaying: Whether with the inputs of those that stay, which do not follow them.
    private func walk(intoStaying: Bool = true) -> [(depth: Int, explanation: ScopeExplanation, isNew: Bool)] {
        var result: [(Int, ScopeExplanation, Bool)] = []
        // What a decoration was given has the key of the decorated value.
        var isSeen = Array(repeating: false, count: all.count)
        var pending = [(0, self)]
        while let (depth, explanation) = pending.popLast() {
            let isNew = !isSeen[explanation.index]
            isSeen[explanation.index] = true
            result.append((depth, explanation, isNew))
            if isNew, intoStaying || !explanation.isOnce {
                pending += explanation.inputs.reversed().map { (depth + 1, $0) }
            }
        }
        return result
    }

    /// The whole explanation: a line for each value, inputs indented below the value that was built from them.
    public var description: String {
        var lines: [String] = []
        for (depth, explanation, isNew) in walk() {
            let indentation = String(repeating: "  ", count: depth)
            let remark = !isNew && !explanation.facts.inputs.isEmpty ? ", see above" : ""
            lines.append("\(indentation)\(explanation.line)\(remark)")
            let problem = explanation.problem?.description.split(separator: "\n") ?? []
            lines += problem.map { "\(indentation)  \($0)" }
        }
        if let keeper = facts.keeper { lines += linesOfKeeping(EnvironmentScope.display(keeper)) }
        return lines.joined(separator: "\n")
    }

    /// Why the value is kept where it is, and for how long.
    private func linesOfKeeping(_ keeper: String) -> [String] {
        let lines = keptBecause.map { ["  kept in \(keeper) because \($0)"] } ?? []
        if isOnce {
            return lines + [
                "  stays until \(keeper) is closed; a set, a removal or a discard of it there begins another"
            ]
        }
        let names = rebuiltByChangesOf.joined(separator: ", ")
        if !names.isEmpty { return lines + ["  rebuilt when one of these changes: \(names)"] }
        switch keptBecause {
        case .policy, .closed: return lines
        default: return lines + ["  built from nothing that can change"]
        }
    }

    /// What is said of the value itself.
    var line: String {
        var parts: [String] = []
        let place = " in \(EnvironmentScope.display(scope))"
        switch source {
        case .set: parts.append("set\(place)\(shown)")
        case .provided where facts.isFormer: parts.append("a builder that was provided before")
        case .provided: parts.append("provided\(place)\(location.map { " (\($0))" } ?? "")")
        case .decorated:
            let origin = location.map { "what is provided there (\($0))" }
            let below = origin ?? (facts.isSetBelow ? "what is set there" : "what lies further out")
            let places = decorations.map { "\($0)" }.joined(separator: ", ")
            parts.append("decorated\(place) (\(places)) over \(below)")
        case .default: parts.append("its own default\(location.map { " (\($0))" } ?? "")")
        case .unknown: parts.append("no value")
        }
        if let keeper = facts.keeper {
            parts.append("\(isOnce ? "begun" : "built") and kept in \(EnvironmentScope.display(keeper))\(shown)")
        } else if source == .provided || source == .decorated || source == .default && facts.key.ownDefault != .constant
        {
            parts.append(lifetime == .transient ? "built at each read" : isOnce ? "not begun yet" : "not built yet")
        }
        parts += [facts.making].compactMap { $0?.description } + facts.progress.texts
        return "\(facts.key.typedName): \(parts.joined(separator: ", "))"
    }

    /// A mirror without children, so that `dump` shows the text, and no input twice.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }

    private var shown: String { shownValue.map { ": \($0)" } ?? "" }
}
