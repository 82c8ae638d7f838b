// MARK: - Explaining

extension EnvironmentScope {
    /// Explains where a value comes from, as this scope sees it, and what it was built from.
    ///
    /// Use it in logs, tests and the debugger, when a value is not the expected one.
    ///
    /// ```swift
    /// print(request.explain(ScopeValues.database))
    /// ```
    ///
    /// It builds nothing and changes nothing, so it cannot say what a builder would do. It never fails: the reason
    /// why a read would fail is the explanation's ``Explanation/problem``. It may be called from any thread. If a
    /// builder calls it, its value is built again after any change, and on the scope it was given also for each
    /// asking scope. That another value is built and kept is no change.
    public func explain<Value>(_ value: ScopeValue<Value>) -> Explanation { explain(value.valueKey) }

    /// The values that this scope and its ancestors hold, and what the built ones were built from.
    ///
    /// ```swift
    /// try app.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
    /// ```
    ///
    /// It builds nothing and changes nothing, and may be read from any thread. If a builder reads it, its value is
    /// built again after any change, and from the scope it was given also for each asking scope. That another value is built
    /// and kept is no change.
    public var graph: DependencyGraph {
        recordOverview()
        return Seeing.graph(of: target)
    }

    func explain(_ key: ValueKey) -> Explanation {
        recordOverview()
        guard let scope = target, let node = scope.node else {
            var explanation = Explanation(key)
            explanation.problem = ScopeError.goneStandIn(key)
            return explanation
        }
        return Seeing.explain(key, in: scope, node)
    }

}

// MARK: - Descriptions

extension EnvironmentScope: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the scope and its ancestors.
    ///
    /// While a builder runs, the scope that it was given, and those made below that, have a description without names.
    public var description: String {
        if isOfBuilder { return "EnvironmentScope(given to a builder)" }
        guard let names = namesForReader() else { return "EnvironmentScope(gone)" }
        return "EnvironmentScope(\(names.joined(separator: " → ")))"
    }

    /// Whether the scope was given to a builder that still runs, or made below such a scope; every asker must be told the
    /// same of it.
    private var isOfBuilder: Bool { buildInProgress != nil }

    /// The scope and its ancestors, with what each holds: keys and types.
    ///
    /// Values are shown only if their type conforms to ``ScopeDescribable``. While a builder runs, the scope that it was given,
    /// and those made below that, list nothing.
    public var debugDescription: String {
        guard !isOfBuilder, let scope = target else { return description }
        recordOverview()
        var lines = [description]
        let chain = scope.chain
        for scope in chain {
            lines.append("  \(scope.displayName)\(scope.isClosedNow ? " (closed)" : "")")
            lines += scope.entries.map { "    \($0.key): \($0.text)" }
        }
        if let gone = scope.namesOfChain().gone { lines.append("  \(Self.display(gone)) (gone)") }
        return lines.joined(separator: "\n")
    }

    /// The mirror for a debugger and `dump`: the name, the ancestors, and what the scope itself holds.
    public var customMirror: Mirror {
        let scope = isOfBuilder ? nil : target
        if scope != nil { recordOverview() }
        let parents = scope.map { Array($0.chainNames.dropFirst()) } ?? []
        let values = scope.map { $0.entries.map { (label: $0.key, value: $0.text as Any) } } ?? []
        return Mirror(
            self,
            children: [
                "name": name as Any,
                "parents": parents,
                "values": Mirrored(mirror: { Mirror($0, children: values, displayStyle: .dictionary) }),
            ],
            displayStyle: .class
        )
    }

    /// Shows labelled texts as a dictionary.
    private struct Mirrored: CustomReflectable {
        let mirror: (Mirrored) -> Mirror
        var customMirror: Mirror { mirror(self) }
    }

    /// The lines of a description: keys, and what the scope holds for them.
    private var entries: [(key: String, text: String)] {
        guard let node else { return [] }
        // Copied out first, because descriptions are user code.
        var held: [Held] = []
        let line = node.startReading()
        node.forEachSlot { slot in if let key = slot.pointee.key { held.append(Held(slot.pointee, .at(key))) } }
        node.finishReading(line)
        return held.flatMap { held in held.texts.map { (held.key.name, $0) } }
            .sorted { ($0.key, $0.text) < ($1.key, $1.text) }
    }

    /// The content of one slot, copied out.
    private struct Held {
        let key: ValueKey
        let value: Any?
        let isSet: Bool
        let provider: Provider?

        init(_ slot: Slot, _ key: ValueKey) {
            self.key = key
            value = slot.cell?.valueForOverview()
            isSet = slot.cell?.isSet ?? false
            provider = slot.provider?.takeUnretainedValue()
        }

        var texts: [String] {
            var texts: [String] = []
            if let value { texts.append("\(isSet ? "set" : "kept"), \(text(value))") }
            if let provider {
                let target = provider.target.map { "alias of \($0.name)" }
                texts.append(target ?? "provided at \(provider.location)")
            }
            return texts
        }

        private func text(_ value: Any) -> String {
            key.valueName + (shownText(of: value).map { ": \($0)" } ?? "")
        }
    }
}
