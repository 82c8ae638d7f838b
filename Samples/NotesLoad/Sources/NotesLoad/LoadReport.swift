import Foundation

/// What a load check counted, and what did not match.
struct LoadReport: CustomStringConvertible {
    let tally: Tally
    let duration: Duration
    let connections: Int

    var mismatches: [String] { tally.mismatches.texts }

    var description: String {
        let names = [
            "requests sent", "answered with 200", "answered with 201", "answered with 204", "answered with 401",
            "answered with 404", "answered with 422", "answered with 500", "answered with 503",
            "cancelled by the client",
            "without an answer, because the server ended", "kills in the middle", "notes acknowledged",
            "deletions acknowledged", "exports read to their end", "notes stored",
            "notes stored of requests without an answer", "announcements",
            "settings by which announcements were sent",
        ]
        let width = names.map(\.count).max() ?? 0
        let lines = names.map { name in
            name + String(repeating: " ", count: width - name.count) + String(repeating: " ", count: 2)
                + "\(tally[name])"
        }
        let (count, texts) = tally.mismatches
        return
            (lines + [
                "\(connections) connections, \(Self.seconds(duration, 1))",
                "slowest request: \(Self.seconds(tally.slowest("none"), 3)), while settings changed "
                    + Self.seconds(tally.slowest("changes"), 3),
                count == 0 ? "Everything matches." : "\(count) mismatches, of which the first are:",
            ] + texts.map { "- \($0)" }).joined(separator: "\n")
    }

    private static func seconds(_ duration: Duration, _ digits: Int) -> String {
        duration.formatted(.units(allowed: [.seconds], width: .wide, fractionalPart: .show(length: digits)))
    }
}
