import ScopedInjection

extension ScopedCase {
    /// What is still alive when the case has let go of its scope.
    struct Survivors: Sendable {
        /// The scope's name.
        var scope: String?
        /// The names of the scopes that were made below it.
        var children: [String] = []
        /// The places of the references that were bound to the scope, or to one below.
        var references: [ScopeError.Location] = []

        var isEmpty: Bool { scope == nil && children.isEmpty && references.isEmpty }
    }

    var survivors: Survivors {
        var survivors = Survivors()
        var known: Set<ObjectIdentifier> = []
        if let scope = state.withLock({ $0.scope }).scope {
            survivors.scope = scope.displayName
            known.insert(ObjectIdentifier(scope))
        }
        for child in children.all.compactMap(\.scope) where known.insert(ObjectIdentifier(child)).inserted {
            survivors.children.append(child.displayName)
        }
        // A reference is noted each time it is bound, and may be bound elsewhere since.
        for reference in references.all.compactMap(\.reference) {
            guard let scope = reference.ownedScope, known.contains(ObjectIdentifier(scope)) else { continue }
            if known.insert(ObjectIdentifier(reference)).inserted { survivors.references.append(reference.location) }
        }
        return survivors
    }

    /// What is still alive after a while, in which other threads may let go of what they have just finished with.
    func lastingSurvivors() async -> Survivors {
        var survivors = survivors
        var pause = Duration.milliseconds(1)
        while !survivors.isEmpty, pause < .milliseconds(250) {
            // In a task of its own, because that of a test that was cancelled would not pause.
            await Task.detached { [pause] in try? await Task.sleep(for: pause) }.value
            pause *= 2
            survivors = self.survivors
        }
        return survivors
    }

    static func lines(of survivors: Survivors) -> [String] {
        var lines = ["Alive after the test:"]
        if let scope = survivors.scope {
            lines.append("  The test's scope \(scope), which a task, closure, reference or child scope holds.")
        }
        lines += survivors.references.map { "  The reference at \($0), bound to the test's scope or one below." }
        lines += survivors.children.map { "  The child scope \($0)." }
        lines.append(
            "  To fix it: await the tasks that the test starts, and let go of closures, references and scopes before it ends."
        )
        return lines
    }
}
