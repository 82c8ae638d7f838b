/// What is known of one value at one moment: explanations, graphs and descriptions are texts over it.
struct Facts: Sendable {
    /// What a read goes by.
    enum Source { case none, ownDefault, set, provided, decorated }

    let key: ValueKey
    var source = Source.none
    /// The name of the scope in which it is set, provided or decorated.
    var scope: String?
    /// Where the builder was provided, or the value declared.
    var location: ScopeError.Location?
    var decorations: [ScopeError.Location] = []
    /// Whether what is decorated is set in the same scope.
    var isSetBelow = false
    /// Whether something else decides by now.
    var isFormer = false
    /// The level of the scope that has the value, or else the builder; nil if none does.
    var level: Int?
    /// The name of the keeper; the outer nil if there is none.
    var keeper: String??
    var reason: Keeping?
    /// The indices of what it was built from.
    var inputs: [Int] = []
    /// For how long its builder has been running; zero if nobody has waited for it and nobody observes.
    var building: Duration?
    /// For how long what was let go of has not ended.
    var ending: Duration?
    /// What holds that.
    var holders: [ValueKey] = []
    /// How far a deferred value is.
    var making: String?
    /// The value as text, if that gives nothing away.
    var shown: String?
    /// Why a read would fail.
    var problem: ScopeError?

    init(_ key: ValueKey) { self.key = key }

    var isOnce: Bool { key.role != nil }
    /// Whether it is set, or built and kept.
    var isThere: Bool { source == .set || keeper != nil }

    /// What is going on with it.
    var progress: [String] {
        let building = building.map { $0 == .zero ? "being built" : "being built for \($0.text)" }
        let ending = ending.map { "\(isThere ? "the former one " : "")being ended for \($0.text)\(holders.heldBy)" }
        return [making, building, ending].compactMap { $0 }
    }

    /// A line about the value itself.
    var line: String {
        let (scope, value) = (" in \(EnvironmentScope.display(scope))", shown.map { ": \($0)" } ?? "")
        let place = location.map { " (\($0))" } ?? ""
        var parts: [String] = []
        switch source {
        case .none: parts.append("no value")
        case .ownDefault: parts.append("its own default\(place)")
        case .set: parts.append("set\(scope)\(value)")
        case .provided: parts.append(isFormer ? "a builder that was provided before" : "provided\(scope)\(place)")
        case .decorated:
            let below = isSetBelow ? "what is set there" : "what lies further out"
            let places = decorations.map { "\($0)" }.joined(separator: ", ")
            parts.append(
                "decorated\(scope) (\(places)) over \(location == nil ? below : "what is provided there\(place)")"
            )
        }
        if let keeper {
            parts.append("\(isOnce ? "begun" : "built") and kept in \(EnvironmentScope.display(keeper))\(value)")
        } else if source != .none, !isThere, source != .ownDefault || key.ownDefault != .constant, progress.isEmpty {
            parts.append(key.isTransient ? "built at each read" : isOnce ? "not begun yet" : "not built yet")
        }
        return "\(key.typedName): \((parts + progress).joined(separator: ", "))"
    }
}
