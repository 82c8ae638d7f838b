// MARK: - Explaining

extension EnvironmentScope {
    /// Says where a value comes from, as this scope sees it, and what it was built from.
    ///
    /// For logs, tests and the debugger, when a value is not the one that was expected.
    ///
    /// ```swift
    /// print(request.explain(ScopeValues.database))
    /// ```
    ///
    /// It builds nothing and changes nothing; what a builder would do is not known before it runs. Never fails: what
    /// stands in the way of a read is the explanation's ``Explanation/problem``. It may be called from any thread. A
    /// builder that asks its scope for it gives a value that belongs to the asking scope alone.
    public func explain<Value>(_ value: ScopeValue<Value>) -> Explanation { explain(value.key) }

    /// The values that this scope and those outside it hold, and what the built ones among them were built from.
    ///
    /// ```swift
    /// try app.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
    /// ```
    ///
    /// It builds nothing and changes nothing, and may be read from any thread. A builder that asks its scope for it gives
    /// a value that belongs to the asking scope alone.
    public var graph: DependencyGraph {
        noteSeen()
        return Seeing.graph(of: target)
    }

    func explain(_ key: ValueKey) -> Explanation {
        noteSeen()
        guard let scope = target, let node = scope.node else {
            var explanation = Explanation(key)
            explanation.problem = ScopeError.goneStandIn(key)
            return explanation
        }
        return Seeing.explain(key, in: scope, node)
    }

    /// Notes that a builder has looked at more than can be recorded: what it builds is for the asking scope alone.
    private func noteSeen() {
        guard let build, build.isBuilding else { return }
        build.record(Input.changing, mask: Mask.pinned, isPinned: true)  // fault: seen-input
    }
}

// MARK: - Descriptions

extension EnvironmentScope: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the scope and of those it gets values from.
    ///
    /// In a builder, the description of the scope that the builder is given says no more than that.
    public var description: String {
        if isOfBuilder { return "EnvironmentScope(given to a builder)" }
        guard let scope = target else { return "EnvironmentScope(gone)" }
        return "EnvironmentScope(\(scope.chainNames.joined(separator: " → ")))"
    }

    /// Whether a builder that still runs was given the scope: all who might share its value are told the same.
    private var isOfBuilder: Bool { build?.isBuilding ?? false }

    /// The scope and those it gets values from, with what each has: keys and types, and values only where their type
    /// allows that by ``ScopeDescribable``.
    public var debugDescription: String {
        guard !isOfBuilder, let scope = target else { return description }
        var lines = [description]
        let chain = scope.chain
        for scope in chain {
            lines.append("  \(scope.displayName)\(scope.isClosed ? " (closed)" : "")")
            lines += scope.entries.map { "    \($0.key): \($0.text)" }
        }
        if let gone = scope.namesOfChain().gone { lines.append("  \(Self.display(gone)) (gone)") }
        return lines.joined(separator: "\n")
    }

    /// What a debugger and `dump` show: the name, the parents, and what the scope itself has.
    public var customMirror: Mirror {
        let scope = isOfBuilder ? nil : target
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

    /// Something that looks like a list of labelled texts.
    private struct Mirrored: CustomReflectable {
        let mirror: (Mirrored) -> Mirror
        var customMirror: Mirror { mirror(self) }
    }

    /// One thing the scope has, as descriptions show it.
    private struct Entry {
        let key: String
        let text: String
    }

    private var entries: [Entry] {
        guard let node else { return [] }
        // Copied out first: descriptions are users' code.
        var held: [Held] = []
        let line = node.startReading()
        node.forEachSlot { slot in if let key = slot.pointee.key { held.append(Held(slot.pointee, .at(key))) } }
        node.finishReading(line)
        return held.flatMap { held in held.texts.map { Entry(key: held.key.name, text: $0) } }
            .sorted { ($0.key, $0.text) < ($1.key, $1.text) }
    }

    /// What a scope has for one value, copied out of its table.
    private struct Held {
        let key: ValueKey
        let value: Any?
        let isSet: Bool
        let provider: Provider?

        init(_ slot: Slot, _ key: ValueKey) {
            self.key = key
            value = slot.cell?.anyValue
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
