import Client
import Harness

/// What the limits are multiples of.
enum Units {
    static let lines: [Line] = [
        .time("Units", "T: a read of a bound @TaskLocal of a class type", .reads, nil, read),
        .time("Units", "P: binding it, a read, and unbinding it", .reads, nil, binding),
    ]

    private static let service = Service()

    /// T: one read of a bound task-local of a class type.
    static let read = Operation(around: { Baselines.bound(service, $0) }) { Baselines.read($0) }

    /// P: binding it, one read, and unbinding it.
    static let binding = Operation { Baselines.pushReadPop($0, service) }
}

extension Line {
    /// A line that tells how many T or P an operation takes, or how many times what another one does.
    static func time(
        _ section: String,
        _ name: String,
        _ unit: Unit,
        _ limit: Limit? = nil,
        _ operation: Operation,
        against other: Operation? = nil
    ) -> Line {
        let baseline = other ?? (unit == .bindings ? Units.binding : Units.read)
        return Line(.times, section, name, unit, limit) { effort in
            Measurement(Comparison(of: operation, to: baseline, effort))
        }
    }
}
