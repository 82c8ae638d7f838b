import ScopedInjection

extension ScopeExplanation {
    /// What the text says of the value itself.
    var line: Substring { description.prefix { !$0.isNewline } }

    /// What the text says of how the value is kept.
    var linesOfKeeping: [Substring] {
        description.split(separator: "\n").filter { $0.firstMatch(of: /^  (kept|rebuilt|stays|built)\b/) != nil }
    }

    /// The values whose change rebuilds it.
    var rebuilding: Substring? { linesOfKeeping.last.flatMap { $0.split(separator: "changes: ").dropFirst().first } }
}
