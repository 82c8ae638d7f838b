// MARK: - Explaining

extension EnvironmentScope {
    /// Explains where a value comes from, as this scope sees it, and what it was built from.
    ///
    /// Use it in logs, tests and the debugger, when a value is not the expected one.
    ///
    /// ```swift
    /// print(request.explain(\.database))
    /// ```
    ///
    /// It builds nothing and changes nothing, so it cannot say what a builder would do. It never fails: the reason
    /// why a read would fail is the explanation's ``ScopeExplanation/problem``. It may be called from any thread.
    public func explain<Value>(_ value: ValueName<Value>) -> ScopeExplanation {
        let key = value(ScopeValues.self).valueKey
        var all = Gathering.facts(about: key, in: self)
        if !all[0].isThere { all[0].problem = Resolution.problem(of: key, from: node) }
        if all[0].problem?.code == .missingValue { all[0].source = .none }
        return ScopeExplanation(all)
    }

    /// The values that this scope and its ancestors hold, and what the built ones were built from.
    ///
    /// ```swift
    /// try app.graph.mermaid.write(
    ///     to: file,
    ///     atomically: true,
    ///     encoding: .utf8
    /// )
    /// ```
    ///
    /// It builds nothing and changes nothing, and may be read from any thread.
    public var graph: ScopeGraph { ScopeGraph(Gathering.everything(in: self)) }

    /// Reports the events of this scope and of those below it: each ``ScopeEvent/Kind-swift.enum``.
    ///
    /// Use it for metrics, traces and logs, and to find out why a first request is slow; see <doc:Seeing>.
    ///
    /// ```swift
    /// app.observe { event in logger.debug("\(event)") }
    /// ```
    ///
    /// The observer is called right after the event, on the thread that caused it, while no lock is held. Several threads may call
    /// it at the same time. It stays for as long as the scope lives. A read of a value that is there is not reported, and costs
    /// nothing more. What an observer causes is not reported. It should not read values: where the event belongs to a builder's read, what it reads through
    /// references would be an input of that builder's value.
    public func observe(_ observer: @escaping @Sendable (ScopeEvent) -> Void) { addObserver(observer) }
}

// MARK: - Descriptions

extension EnvironmentScope: CustomStringConvertible, CustomDebugStringConvertible {
    /// The names of the scope and its ancestors.
    public var description: String { "EnvironmentScope(\(chainNames))" }

    /// The scope and its ancestors, with what each holds, as `explain(_:)` says it: names and types, but no value that may be a secret.
    public var debugDescription: String {
        var lines = [description]
        for scope in sequence(first: self, next: { $0.nextScope }) {
            lines.append("  \(scope.displayName)\(scope.isClosedNow ? " (closed)" : "")")
            lines += Gathering.facts(of: scope).map { "    \($0.line)" }.sorted()
        }
        if let gone = chainNames.gone { lines.append("  \(Self.display(gone)) (gone)") }
        return lines.joined(separator: "\n")
    }
}
