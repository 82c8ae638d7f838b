/// A deferred value of any type.
protocol Awaited: Sendable {
    var isMade: Bool { get }
    /// How far it is, as a part of a sentence; no lock is held.
    var making: String { get }
    /// Awaits it, and returns the error if it failed.
    nonisolated(nonsending) func make() async -> (any Error)?
}

/// Builds values before somebody reads them.
extension EnvironmentScope {
    /// What is provided here or further out, by name.
    var providedKeys: [ValueKey] {
        // Their names are made when no line is held, because an identifier's description is user code.
        let keys = node.inspect { Set(node.chain.flatMap { $0.keys { $0.provider != nil } }) }
        return keys.ordered(by: \.name)
    }

    /// Builds values, and returns why some cannot be had.
    func build(_ keys: [ValueKey], _ use: (ValueKey, Any) -> Void = { _, _ in }) -> [ScopeError] {
        var failures: [ScopeError] = []
        for key in keys {
            do throws(ScopeError) { use(key, try read(key, of: key.valueType)) } catch { failures.append(error) }
        }
        return failures
    }

    private func read<Value>(_ key: ValueKey, of type: Value.Type) throws(ScopeError) -> Any {
        try value(of: key.typed(as: type))
    }

    /// Builds values, and awaits those that are deferred, all at the same time.
    ///
    /// - Parameter isNamed: Whether each has to be there, also one of a role that no scope here has.
    nonisolated(nonsending) func prepare(_ keys: [ValueKey], isNamed: Bool, within limit: Duration?) async throws {
        var deferred: [(key: ValueKey, value: any Awaited)] = []
        var failures = build(keys) { key, value in
            if let value = value as? any Awaited { deferred.append((key, value)) }
        }
        if !isNamed { failures.removeAll { $0.code == .roleMissing } }
        failures += await self.failures(of: deferred, within: limit)
        if Task.isCancelled, failures.contains(where: { $0.underlyingError is CancellationError }) {
            throw CancellationError()
        }
        var causes: Set<ValueKey> = []
        try ScopeError.throwAll(failures.filter { $0.subject.map { causes.insert($0).inserted } ?? true })
    }

    /// Awaits deferred values at the same time, at most until a limit, and returns the errors of those that failed or are not made.
    nonisolated(nonsending) func failures(
        of deferred: [(key: ValueKey, value: any Awaited)],
        within limit: Duration? = nil
    ) async -> [ScopeError] {
        let errors = await withTaskGroup(of: (Int, (any Error)?)?.self) { group in
            for (index, (_, value)) in deferred.enumerated() { group.addTask { (index, await value.make()) } }
            if let limit {
                group.addTask {
                    try? await Task.sleep(for: limit)
                    return nil
                }
            }
            var (errors, missing) = ([Int: any Error](), deferred.count)
            while missing > 0, let next = await group.next() {
                // At the limit nobody waits any more.
                guard let (index, error) = next else {
                    group.cancelAll()
                    continue
                }
                (errors[index], missing) = (error, missing - 1)
            }
            group.cancelAll()
            return errors
        }
        return deferred.indices.compactMap { index in
            guard let error = errors[index] else { return nil }
            let isLate = error is CancellationError && !Task.isCancelled
            if isLate, let limit { return .notMade(deferred[index].key, within: limit) }
            return explained(error, deferred[index].key)
        }
    }

    /// The error of a deferred value for what its run threw.
    private func explained(_ error: any Error, _ key: ValueKey) -> ScopeError {
        let known = error as? ScopeError
        if let known, known.subject != nil { return known }
        var failed = ScopeError(.makeFailed, key: key, searched: chainNames)
        // One that was not made in a builder does not know its name.
        failed.fields.underlyingError = known?.underlyingError ?? error
        failed.fields.deferredAt = known?.fields.deferredAt
        return failed
    }
}

extension ScopeError {
    fileprivate static func notMade(_ key: ValueKey, within limit: Duration) -> ScopeError {
        ScopeError(
            .invalid,
            key: key,
            detail: "\(key.typedName) was not made within \(limit.text).",
            advice: "see what it waits for, or give it more time; it goes on to be made."
        )
    }
}
