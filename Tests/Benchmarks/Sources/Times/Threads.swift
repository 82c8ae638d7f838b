import Client
import Harness
import ScopedInjection
import Subjects

internal import class Foundation.ProcessInfo

/// What two threads read against one.
struct Threads {
    private let fixture = Fixture.shared

    var lines: [Line] {
        let (app, handler) = (fixture.app, fixture.handler)
        let reads: [@Sendable (Int) -> Void] = [
            handler.readPort, handler.readAdminPort, handler.readService, handler.readOtherService,
        ]
        let read = app.bind { (index: Int, count: Int) in reads[index](count) }
        return lines("nothing entered, values in global", reads.map { Operation($0) }, limit: .atLeast(1.6))
            + lines("each entered the scope", reads.map { Operation(in: app, $0) })
            + lines(
                "both in a scope that was entered once",
                reads.indices.map { index in Operation { read(index, $0) } }
            )
    }

    /// The limit is for one trivial value.
    private func lines(_ place: String, _ reads: [Operation], limit: Limit? = nil) -> [Line] {
        [
            line(place, "one integer", reads[0], reads[0], limit),
            line(place, "two integers", reads[0], reads[1]),
            line(place, "one object", reads[2], reads[2]),
            line(place, "two objects", reads[2], reads[3]),
        ]
    }

    private func line(
        _ place: String,
        _ name: String,
        _ first: Operation,
        _ second: Operation,
        _ limit: Limit? = nil
    ) -> Line {
        Line(.threads, "Two threads against one, \(place)", name, .times, limit) { effort in
            guard ProcessInfo.processInfo.activeProcessorCount > 1 else { return nil }
            return Throughput(of: first, second, effort).map { Line.Measurement($0.ratio) }
        }
    }
}
