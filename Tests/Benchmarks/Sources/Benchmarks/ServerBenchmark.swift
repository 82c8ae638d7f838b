import Foundation
import Harness

/// What a real server keeps of its throughput, in a short form; the package beside this one measures it.
enum ServerBenchmark {
    static let lines = [
        line("a scope for each request, nothing built", "scope", .atLeast(0.97)),
        line("a scope for each request, 5 services built", "services", .atLeast(0.84, aim: 0.88)),
        line("the same, and a transaction that is cleaned up", "transaction", .atLeast(0.8)),
    ]

    /// Both lines come from one run.
    private static let results = Result { try measured() }

    private struct Handler: Decodable {
        let perSecond: Double
        let ratio: Double
    }

    private static func line(_ name: String, _ handler: String, _ limit: Limit) -> Line {
        Line(.server, "A server, against the same with its services made by hand", name, .times, limit) { _ in
            guard let result = try results.get()[handler] else {
                throw Program.Failure(description: "the server benchmark says nothing of \(handler)")
            }
            return Line.Measurement(result.ratio, nanoseconds: 1e9 / result.perSecond)
        }
    }

    private static func measured() throws -> [String: Handler] {
        let script = URL(filePath: #filePath).appending(path: "../../../../ServerBenchmark/run").standardizedFileURL
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path(percentEncoded: false), "--short", "--json"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Program.Failure(description: "the server benchmark failed")
        }
        return try JSONDecoder().decode([String: Handler].self, from: data)
    }
}
