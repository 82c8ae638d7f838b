// MARK: - Explaining

extension EnvironmentScope {
    /// Says where the value of a key comes from, as this scope sees it, and what it was built from.
    ///
    /// For logs, tests and the debugger, when a value is not the one that was expected.
    ///
    /// ```swift
    /// print(request.explain(DatabaseKey.self))
    /// #expect(request.explain(DatabaseKey.self).keptIn == "app")
    /// ```
    ///
    /// It builds nothing and changes nothing; what a builder would do is not known before it runs. Never fails: what
    /// stands in the way of a read is the explanation's ``Explanation/problem``. It may be called from any thread.
    public func explain<Key: ScopeKey>(_ key: Key.Type) -> Explanation {
        var known: [AnyKey: Explanation] = [:]
        let key = AnyKey(key)
        guard let scope = standIn else {
            var explanation = Explanation(key)
            explanation.problem = Self.goneStandIn(key)
            return explanation
        }
        return scope.explain(key, &known)
    }

    /// The values that this scope and those outside it hold, and what the built ones among them were built from.
    ///
    /// ```swift
    /// try app.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
    /// ```
    ///
    /// It builds nothing and changes nothing, and may be read from any thread.
    public var graph: DependencyGraph {
        GraphWalk.graph(of: standIn)
    }

    private func explain(_ key: AnyKey, _ known: inout [AnyKey: Explanation]) -> Explanation {
        if let explanation = known[key] { return explanation }
        var explanation = Explanation(key)
        // Whoever comes back to the key on the way gets what is known so far.
        known[key] = explanation
        do throws(ScopeError) {
            let prospect = try prospect(of: key)
            if prospect.key != key { explanation.aliasOf = prospect.key.name }
            explanation.scope = prospect.decider?.label
            explanation.location = prospect.provider?.location
            explanation.source = prospect.isSet ? .set : prospect.provider == nil ? .default : .provided
            if case .cell(let cell, let owner) = prospect.outcome {
                explanation.shownValue = shownText(of: owner.look { _ in cell.anyValue })
                if let provenance = cell.provenance {
                    explanation.keptIn = owner.label
                    explanation.inputs = provenance.namedInputs.map { owner.explain($0, &known) }
                }
            } else if prospect.provider == nil, !prospect.isSet, forbidsDefault(of: prospect.key) {
                throw defaultForbidden(prospect.key)
            } else if isClosed {
                throw closed(prospect.key, scope: self)
            }
        } catch {
            explanation.problem = error
        }
        known[key] = explanation
        return explanation
    }
}

extension Provenance {
    /// The keys that were read, once each.
    var namedInputs: [AnyKey] {
        var keys: [AnyKey] = []
        for input in inputs where input.isOfValue && !keys.contains(input.key) { keys.append(input.key) }
        return keys
    }
}

// MARK: - Descriptions

extension EnvironmentScope: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the scope and of those it gets values from.
    public var description: String {
        guard let scope = standIn else { return "EnvironmentScope(gone)" }
        return "EnvironmentScope(\(scope.chainNames.joined(separator: " → ")))"
    }

    /// The scope and those it gets values from, with what each has: keys and types, and values only where their type
    /// allows that by ``ScopeDescribable``.
    public var debugDescription: String {
        guard let scope = standIn else { return description }
        var lines = [description]
        for scope in scope.chain {
            lines.append("  \(scope.displayName)\(scope.isClosed ? " (closed)" : "")")
            lines += scope.entries.map { "    \($0.key): \($0.text)" }
            if case .gone = scope.nextScope { lines.append("  \(Self.display(scope.parentName)) (gone)") }
        }
        return lines.joined(separator: "\n")
    }

    /// What a debugger and `dump` show: the name, the parents, and what the scope itself has.
    public var customMirror: Mirror {
        let scope = standIn
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
        // Copied out first: descriptions are users' code.
        let slots = look { table in
            var slots: [Held] = []
            table.forEachSlot { slots.append(Held($0)) }
            return slots
        }
        return slots.flatMap { held in
            let key = readableName(of: held.keyType)
            return held.texts.map { Entry(key: key, text: $0) }
        }.sorted { ($0.key, $0.text) < ($1.key, $1.text) }
    }

    /// What a scope has for one key, copied out of its table.
    private struct Held {
        let keyType: Any.Type
        let setValue: Any?
        let setType: Any.Type?
        let provider: AnyProvider?
        let alias: Alias?
        let keptValue: Any?
        let keptType: Any.Type?

        init(_ slot: borrowing Slot) {
            keyType = slot.keyType
            let own = slot.own?.takeUnretainedValue()
            (setValue, setType) = (own?.anyValue, own?.valueType)
            (provider, alias) = (slot.provider, slot.alias)
            (keptValue, keptType) = (slot.kept?.anyValue, slot.kept?.valueType)
        }

        var texts: [String] {
            var texts: [String] = []
            if let setValue, let setType { texts.append("set, \(text(setType, setValue))") }
            if let provider { texts.append("provided at \(provider.location)") }
            if let alias { texts.append("alias of \(alias.target.name)") }
            if let keptValue, let keptType { texts.append("kept, \(text(keptType, keptValue))") }
            return texts
        }

        private func text(_ type: Any.Type, _ value: Any) -> String {
            readableName(of: type) + (shownText(of: value).map { ": \($0)" } ?? "")
        }
    }
}
