import ScopedInjection
import Testing

extension ScopedCase: ScopeWatch {
    func tellOfChild(_ scope: EnvironmentScope) { children.append(WeakScope(scope: scope)) }

    func tellOfReference(_ reference: any WatchedReference) { references.append(WeakReference(reference: reference)) }

    func tellOfSet(_ value: ValueKey, in scope: EnvironmentScope) {
        state.withLock { state in
            state.set.insert(value)
            guard state.scopeIDs.contains(ObjectIdentifier(scope)), let isReadExpected = state.isReadExpected else {
                return
            }
            state.expected.removeAll { $0 == value }
            state.read.remove(value)
            if isReadExpected { state.expected.append(value) }
        }
    }

    func tellOfRemoval(_ value: ValueKey, from scope: EnvironmentScope) {
        state.withLock { state in
            guard state.scopeIDs.contains(ObjectIdentifier(scope)) else { return }
            state.expected.removeAll { $0 == value }
            state.set.remove(value)
        }
    }

    func tellOfRead(_ read: WatchedRead) {
        let isLate = state.withLock { state in
            state.read.insert(read.value)
            return state.isOver
        }
        if isLate {
            guard !read.isInBuilder, isNew(.readLate(read.value, at: read.reference?.description)) else { return }
            return report(Self.lines(ofLate: read), at: read.reference, as: strictness ?? .warnings)
        }
        if read.scope.defaults != .reported { return }
        // What a parent keeps was built for another test, which was told.
        for value in read.keptDefaults where !isOwn(value) && isNew(.defaultOf(value)) {
            let path = value == read.value ? [] : [read.value.name, value.name]
            report(
                lines(ofDefault: value, read.reference, read.searched, path),
                at: read.reference ?? placeOfUnknown(value)
            )
        }
    }

    func tellOfDefault(_ error: ScopeError, builtFrom inputs: [Input], for around: [ValueKey]) {
        // A late read is told already.
        guard let value = error.subject, !isOver else { return }
        if isBuiltFromOwn(inputs) {
            state.withLock { _ = $0.own.insert(value) }
            return
        }
        // What it was built from is told.
        let told = state.withLock { $0.told }
        if inputs.contains(where: { $0.isLiveDefault || $0.isInstance && told.contains(.defaultOf($0.value)) }) {
            return
        }
        guard isNew(.defaultOf(value)) else { return }
        let isPart = EnvironmentScope.isChangingPart && error.reference == nil && error.path.count < 2
        report(
            isPart
                ? Self.lines(ofPart: value, error.searched)
                : lines(ofDefault: value, error.reference, error.searched, error.path, builtFrom: inputs, for: around),
            at: error.reference ?? placeOfUnknown(value)
        )
    }

    /// Whether the test, or a trait of it, has set or provided something of what a value was built from.
    private func isBuiltFromOwn(_ inputs: [Input]) -> Bool {
        let scopes = state.withLock { [$0.scope.scope, $0.request.scope] }.compactMap(\.self)
        return inputs.contains { input in
            if allowed.contains(input.value) { return false }
            return input.isInstance ? isOwn(input.value) : scopes.contains { input.isDecided(by: $0) }
        }
    }

    private func isOwn(_ value: ValueKey) -> Bool { state.withLock { $0.own.contains(value) } }

    func tellOfRefusal(_ error: ScopeError, isNil: Bool) {
        state.withLock { state in
            if state.isOver { return }
            if !isNil { return state.refused.append(error) }
            if let last = state.refused.lastIndex(where: { $0.subject == error.subject }) {
                state.refused.remove(at: last)
            }
        }
    }

    /// The place of what was read without a reference in an XCTest, which has no line itself.
    private func placeOfUnknown(_ value: ValueKey) -> ScopeError.Location? { test == nil ? value.location : nil }

    func tellOfReplacement(by scope: EnvironmentScope) {}

    var scopeOfEnded: EnvironmentScope? { state.withLock { $0.scope }.scope == nil ? Self.scopeOfEnded : nil }

    /// Gives values that are for tests, and no live ones.
    private static let scopeOfEnded = EnvironmentScope.empty("ended tests", parent: nil, defaults: .forbidden)

    func tellOfRole(of value: ValueKey, in scope: EnvironmentScope) {
        guard case .once(let role) = value.lifetime, isNew(.begun(value)) else { return }
        report(
            [
                "\(value.name) (\(value.valueName)) was read in \(scope.displayName), and is kept in the test's scope, which has every role.",
                "  Elsewhere that is an error: no scope here was made for the role \(role).",
                "  To fix it: make \(scope.displayName), or one around it, with role: .\(role).",
            ],
            as: .warnings
        )
    }

    func tellOfCleanupFailure(_ failure: ScopeEvent, in scope: EnvironmentScope) {
        let subject = failure.name.map { "The cleanup of \($0) in" } ?? "A cleanup of"
        report(
            [
                "\(subject) \(scope.displayName) failed: \(failure.error.map { "\($0)" } ?? "?")",
                "  To fix it: find out why it fails, or handle the error in the cleanup.",
            ],
            at: failure.location
        )
    }

    /// Closes a scope of the case, and reports cleanups that hang.
    func close(_ scope: EnvironmentScope, within limit: Duration) async {
        let names = await scope.close(within: limit)
        if names.isEmpty { return }
        report([
            "These cleanups had not ended \(limit) after the test: \(names.joined(separator: ", ")).",
            "  To fix it: find out what they wait for, or allow more time (closingWithin:).",
        ])
    }

    func tellOfLateBuild(of value: ValueKey, in scope: EnvironmentScope) {
        guard isNew(.builtLate(value)) else { return }
        report(
            [
                "\(value.name) (\(value.valueName)) was built in \(scope.displayName) after that was closed.",
                "  To fix it: let the scope's operation await all that it starts, or give that a scope of its own.",
            ],
            as: strictness ?? .warnings
        )
    }

    func tellOfLeftUnclosed(_ scope: EnvironmentScope, _ cleanup: ScopeError.Location) {
        // What a late read has built is told already.
        if !isOver { report(Self.lines(ofUnclosed: scope, cleanup), at: test == nil ? cleanup : nil) }
    }

    func linesOfEnd(_ error: ScopeError) -> [String] {
        isOver
            ? ["  Test: \(description), which had ended"]
            : ["  Test: \(description)"] + Self.linesOfSetting(error)
    }

    /// What a test writes for a value that it lacks.
    static func linesOfSetting(_ error: ScopeError) -> [String] {
        guard error.code == .missingValue || error.code == .defaultForbidden else { return [] }
        return [
            """
              In the test: set it (\(setting(error.codeMember))), give it a value for tests where it is declared (inTests:), \
            or read it with try.
            """
        ]
    }
}

// MARK: - Texts

extension ScopedCase {
    static func setting(_ member: String?) -> String { ".scope { \(assignment(member)) }" }

    static func assignment(_ member: String?) -> String { member.map { "$0\($0) = …" } ?? "…" }

    /// What is told where the default was given to set a part of it.
    static func lines(ofPart value: ValueKey, _ scopes: ChainNames?) -> [String] {
        [
            "A part of \(value.name) (\(value.valueName)) was set in \(scopes?.texts.first ?? "a scope"); the rest is its live default.",
            "  Declared at: \(value.location)",
            """
              To fix it: give it a value for tests where it is declared (inTests:), which the part is then set in, or set the \
            whole of it before.
            """,
        ]
    }

    private func lines(
        ofDefault value: ValueKey,
        _ reference: ScopeError.Location?,
        _ scopes: ChainNames?,
        _ path: [String],
        builtFrom inputs: [Input] = [],
        for around: [ValueKey] = []
    ) -> [String] {
        var lines = [
            "\(value.name) (\(value.valueName)) was not set, and the test was given its default.",
            "  Declared at: \(value.location)",
        ]
        if let reference { lines.append("  Read by: the reference at \(reference)") }
        if let scopes { lines.append("  Searched: \(scopes)") }
        if path.count > 1 { lines.append("  Needed by: \(path.joined(separator: " → "))") }
        if !around.isEmpty {
            let names = around.reversed().map(\.name).joined(separator: ", ")
            lines.append("  Given so, too: \(names); built from what the test sets, they are its own.")
        }
        // What an application below which the test lies has set.
        let set = inputs.filter { !$0.isInstance && $0.version > Input.allowedAgain }
        let sources = set.compactMap { $0.value.codeMember?.dropFirst() }.prefix(3)
        let source = sources.isEmpty ? "it" : "it, or what it is built from (\(sources.joined(separator: ", "))),"
        lines.append(
            """
              To fix it: set \(source) in the test (\(Self.setting(value.codeMember))), or allow its default there \
            (allowing: \(value.codeName ?? "…")); if the default harms no test, say so where it is declared \
            (isSafeInTests: true).
            """
        )
        if reference == nil {
            let line = test == nil ? "the declaration" : "the test"
            lines.append("  This line: that of \(line), because the scope was read without a reference.")
        }
        return lines
    }

    static func lines(ofSwallowed error: ScopeError) -> [String] {
        let fact =
            error.code == .missingValue
            ? "has no value, and what reads it has caught the error."
            : "may not give its default, and what reads it has caught the error."
        var lines = ["\(error.name ?? "A value") (\(error.valueType ?? "?")) \(fact)"]
        if let place = error.reference { lines.append("  Read by: the reference at \(place)") }
        if let scopes = error.searched { lines.append("  Searched: \(scopes)") }
        if error.path.count > 1 { lines.append("  Needed by: \(error.path.joined(separator: " → "))") }
        lines.append(
            "  To fix it: set it in the test (\(setting(error.codeMember))); a test that expects the error says strictness: .off."
        )
        return lines
    }

    static func lines(ofUnclosed scope: EnvironmentScope, _ cleanup: ScopeError.Location) -> [String] {
        [
            "\(scope.displayName) went away without having been closed, and nothing waits for its cleanups.",
            "  The last of them: \(cleanup)",
            "  To fix it: close it (await scope.close()), or make it with withChild.",
        ]
    }

    private static func lines(ofLate read: WatchedRead) -> [String] {
        var lines = [
            "\(read.value.name) (\(read.value.valueName)) was read in the test's scope, or below, after the test had ended."
        ]
        if let place = read.reference { lines.append("  Read by: the reference at \(place)") }
        lines.append("  Searched: \(read.searched)")
        lines.append("  To fix it: let the test await all that it starts.")
        return lines
    }

    static func lines(ofUnread values: [String]) -> [String] {
        [
            "Set for the test, but never read: \(values.joined(separator: ", ")).",
            "  To fix it: remove what is not needed, or find out why the code under test does not read it.",
        ]
    }
}
