internal import ArgumentParser
internal import Foundation
internal import ScopedInjection

/// Serves requests of all kinds on two threads for a while, and fails where something is wrong, or grows.
@main
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "Soak")

    @Option(help: "How long it serves.") var seconds = 60
    @Option(help: "How many requests each thread makes before both rest, and all is counted.") var requests = 5_000
    @Option(help: "How many kilobytes the process may grow after the first third.") var growth = 4_096

    func run() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.configuration = 1 }
        let (clock, requests) = (ContinuousClock(), requests)
        let start = clock.now
        var peaks: [(time: Duration, kilobytes: Int)] = []
        var round = 0
        while clock.now - start < .seconds(seconds) || peaks.count < 6 {
            let first = 1 + 2 * round * requests
            await withTaskGroup { group in
                for number in 0..<2 {
                    group.addTask {
                        var worker = Worker(app: app)
                        let begin = first + number * requests
                        await worker.work(requests: begin...(begin + requests - 1))
                    }
                }
            }
            round += 1
            await app.discardBuiltValues()
            // A task lets go of its scope a moment after those who await it go on.
            for _ in 0..<500 where Tally.shared.living != 0 { try await Task.sleep(for: .milliseconds(10)) }
            let (living, open) = (Tally.shared.living, Tally.shared.open)
            if living != 0 || open != 0 { throw Failure("at rest \(living) objects live, \(open) cleanups are left") }
            if !Tally.shared.complaints.isEmpty { throw Failure("wrong: \(Tally.shared.complaints)") }
            peaks.append((clock.now - start, Self.peak))
        }
        let total = clock.now - start
        let settled = peaks.first { $0.time > total / 3 }?.kilobytes ?? 0
        let grown = (peaks.last?.kilobytes ?? 0) - settled
        print(
            "\(2 * round * requests) requests in \(total.components.seconds) s; nothing was wrong, and nothing is left."
        )
        print("The process had \(settled) KB after a third of that, and \(grown) KB more at the end.")
        await app.close()
        if grown > growth { throw Failure("it grows: \(peaks.map(\.kilobytes))") }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// The most memory that the process has had, in kilobytes.
    private static var peak: Int {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss / 1024
        #else
            getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss
        #endif
    }
}
