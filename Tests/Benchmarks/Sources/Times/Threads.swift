import Client
import Harness
import ScopedInjection
import Subjects

internal import class Foundation.ProcessInfo

/// What two threads get done against one.
struct Threads {
    private let fixture = Fixture.shared

    var lines: [Line] { requests + beside + reads }

    // MARK: Requests

    /// What two threads gain that share nothing: each pushes a task-local with an object of its own.
    private static let plain = (
        Operation { [service = Service()] in Baselines.pushReadPop($0, service) },
        Operation { [service = Service()] in Baselines.pushReadPop($0, service) }
    )

    private var requests: [Line] {
        let (app, building) = (fixture.app, fixture.building)
        let ending = fixture.ending
        let section = "Two threads that make requests, as a part of what plain task-locals gain"
        let limit = Limit.atLeast(0.8, aim: 0.95)
        let both: (@escaping @Sendable (Int) -> Void) -> (Operation, Operation) = { (Operation($0), Operation($0)) }
        return [
            Self.line(section, "what plain task-locals gain, one of its own for each thread; against one thread") {
                effort in
                Throughput(of: Self.plain.0, Self.plain.1, effort)?.ratio
            },
            part(section, "own value", limit, pair { await ending.serveWithChild(of: app, $0) }),
            part(section, "the app's number", limit, pair { await ending.serveWithChildParentsValue(of: app, $0) }),
            part(section, "one service built", limit, pair { await ending.serveWithChildAndService(of: app, $0) }),
            part(section, "with a cleanup", limit, pair { await ending.serveWithChildAndCleanup(of: app, $0) }),
            part(section, "with a child", limit, pair { await ending.serveWithChildAndPart(of: app, $0) }),
            part(section, "made and entered, own value", nil, both { building.readOwnValue(under: app, $0) }),
        ]
    }

    private func part(_ section: String, _ name: String, _ limit: Limit?, _ pair: (Operation, Operation)) -> Line {
        Self.line(section, name, limit) { Throughput.Groups(pair, beside: Self.plain, $0)?.part }
    }

    private func pair(
        _ body: nonisolated(nonsending) @escaping @Sendable (Int) async -> Void
    ) -> (Operation, Operation) {
        (Operation(awaiting: body), Operation(awaiting: body))
    }

    // MARK: Reads beside requests

    private var beside: [Line] {
        let (app, building, ending) = (fixture.builtApp, fixture.building, fixture.ending)
        let handler = fixture.handler
        let read = Operation(in: app, handler.readDerived)
        let limit = Limit.atMost(1.3, aim: 1.1)
        let requests = [
            ("plain requests", Operation { building.readOwnValue(under: app, $0) }),
            ("requests with a cleanup", Operation(awaiting: { await ending.serveWithCleanup(under: app, $0) })),
            ("requests with a child", Operation(awaiting: { await ending.serveWithPart(under: app, $0) })),
        ]
        return requests.map { name, operation in
            Self.line("Reads of a built value of the app, the other core busy with; against alone", name, limit) {
                Neighbour(of: read, beside: operation, plain: Self.plain.0, $0)?.ratio
            }
        }
    }

    // MARK: Reads

    private var reads: [Line] {
        let (app, handler) = (fixture.app, fixture.handler)
        let reads: [@Sendable (Int) -> Void] = [
            handler.readPort, handler.readAdminPort, handler.readService, handler.readOtherService,
        ]
        let read = app.bind { (index: Int, count: Int) in reads[index](count) }
        return lines("nothing entered, values in global", reads.map { Operation($0) }, limit: .atLeast(1.6, aim: 1.95))
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

    /// A line with a limit counts only where two cores are free.
    private func line(
        _ place: String,
        _ name: String,
        _ first: Operation,
        _ second: Operation,
        _ limit: Limit? = nil
    ) -> Line {
        Self.line("Two threads against one, \(place)", name, limit) { effort in
            limit == nil
                ? Throughput(of: first, second, effort)?.ratio
                : Throughput.Groups((first, second), beside: Self.plain, effort)?.gain
        }
    }

    private static func line(
        _ section: String,
        _ name: String,
        _ limit: Limit? = nil,
        _ ratio: @escaping @Sendable (Effort) -> Double?
    ) -> Line {
        Line(.threads, section, name, .times, limit) { effort in
            guard ProcessInfo.processInfo.activeProcessorCount > 1 else { return nil }
            return ratio(effort).map { Line.Measurement($0) }
        }
    }
}
