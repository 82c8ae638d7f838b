import ScopedInjection

/// Reads, compared with the model.
extension Runner {
    /// Whether the program replaces the global scope, and says policies: a value stays where it was kept if the policies
    /// around its scope become the same by that.
    var hasMovedPolicies: Bool {
        model.scopes.contains { $0.policy != nil }
            && program.steps.contains { if case .replaceGlobal = $0 { true } else { false } }
    }

    /// Reads a value, compares it with the model, and notes where it is kept.
    @discardableResult
    func read(_ value: Int, in at: Int) throws(Difference) -> Numeral? {
        guard let scope = scope(at) else { return nil }
        let found = try? scope.value(for: { _ in Numbered.all[value] })
        let expected = model.read(value, in: at)
        try compare(found, with: expected, "\(at).\(value)")
        try compare(found, discards, "\(at).\(value)")
        guard let found, let home = expected?.home else { return found }
        let places = model.chain(at).scopes.map { ValueInScope(scope: $0, value: home.value) }
        found.home.value = places.first { isKept(found, as: $0) } ?? found.home.value
        if found.home.value != home, !hasMovedPolicies {
            let place = found.home.value.map { "\($0)" } ?? "nothing"
            throw Difference(text: "\(at).\(value) is kept as \(place), not as \(home)")
        }
        // R3, R5: it shares what it was built from with who reads that; what was not kept is no part of what is.
        if !hasMovedPolicies, !found.stays, let old = found.parts.first(where: { !isKept($0) })?.home.value {
            throw Difference(text: "\(at).\(value) was built from another \(old) than is kept")
        }
        return found
    }

    func compare(_ found: Numeral?, with expected: Model.Given?, _ name: String) throws(Difference) {
        func text(_ number: Int?) -> String { number.map { "\($0)" } ?? "an error" }
        if found?.number != expected?.number {
            throw Difference(text: "\(name) is \(text(found?.number)), should be \(text(expected?.number))")
        }
    }

    /// - Parameter discards: Those that had returned when the read began.
    func compare(_ found: Numeral?, _ discards: Discards, _ name: String) throws(Difference) {
        if let found, discards.reach(found) {
            throw Difference(text: "\(name) is what was discarded, or was built from that")
        }
    }

    private func isKept(_ numeral: Numeral, as home: ValueInScope) -> Bool {
        scopes[home.scope]?.localValue(for: { _ in Numbered.all[home.value] }) === numeral
    }

    /// Whether it is where it was kept, if it ever was.
    private func isKept(_ numeral: Numeral) -> Bool { numeral.home.value.map { isKept(numeral, as: $0) } ?? true }

    /// Compares a read, and which scopes share what it gives.
    func readAndCompare(_ value: Int, _ at: Int) throws(Difference) {
        guard let found = try read(value, in: at), let home = model.read(value, in: at)?.home, !hasMovedPolicies
        else { return }
        for other in scopes.indices {
            guard let otherHome = model.copy().read(value, in: other)?.home, let seen = try read(value, in: other)
            else { continue }
            if (seen === found) != (otherHome == home) {
                let count = seen === found ? "one instance" : "two instances"
                let homes = "kept as \(home), \(otherHome)"
                throw Difference(text: "\(at).\(value) and \(other).\(value) are \(count), \(homes)")
            }
        }
    }

    /// Has three threads read, and compares what they are given with the model, and with each other.
    func readTogether(_ reads: [ValueInScope]) async throws(Difference) {
        let found = await given(reads, in: Box(scopes), Numbered.world, after: Box(discards))
        for (read, values) in zip(reads, found) where !values.isEmpty {
            let expected = model.read(read.value, in: read.scope)
            for (value, before) in values {
                try compare(value, with: expected, "\(read) on several threads")
                try compare(value, before, "\(read) on several threads")
            }
            if expected?.home != nil, values.contains(where: { $0.value !== values[0].value }) {
                throw Difference(text: "\(read) is built twice")
            }
        }
    }
}

/// What three threads are given, each in another order, with the discards that had returned when each read began.
///
/// - Parameter scopes: Is emptied, because a thread may hold its closure for longer than that runs.
func given(
    _ reads: [ValueInScope],
    in scopes: Box<[EnvironmentScope?]>,
    _ world: Numbered.World,
    after discards: Box<Discards>
) async -> [[(value: Numeral?, before: Discards)]] {
    let found = Box<[[(value: Numeral?, before: Discards)]]>(Array(repeating: [], count: reads.count))
    await onThreads(3) { thread in
        Numbered.$world.withValue(world) {
            let scopes = scopes.value
            for index in reads.indices {
                let which = (index + thread * 2) % reads.count
                let read = reads[which]
                guard scopes.indices.contains(read.scope), let scope = scopes[read.scope] else { continue }
                let before = discards.value
                let value = try? scope.value(for: { _ in Numbered.all[read.value] })
                found.update { $0[which].append((value, before)) }
            }
        }
    }
    scopes.value = []
    return found.value
}
