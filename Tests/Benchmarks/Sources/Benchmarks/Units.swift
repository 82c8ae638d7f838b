import Client
import Harness
import ScopedInjection

/// What the limits are multiples of.
enum Units {
    private static let service = Service()

    /// T: one read of a bound task-local of a class type.
    static let read = Operation(around: { Baselines.bound(service, $0) }) { Baselines.read($0) }

    /// P: binding it, one read, and unbinding it.
    static let binding = Operation { Baselines.pushReadPop($0, service) }
}

extension Operation {
    /// An operation that is done with a scope entered.
    init(in scope: EnvironmentScope, _ body: @escaping @Sendable (Int) -> Void) {
        self.init(around: { inside in scope { inside() } }, body)
    }
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

    /// A line that tells how often an operation allocates.
    static func allocations(_ section: String, _ name: String, _ limit: Limit? = nil, _ operation: Operation) -> Line {
        Line(.counts, section, name, .allocations, limit) { _ in Measurement(HeapUse.allocations(of: operation)) }
    }

    /// A line that tells what each of many scopes takes.
    static func bytes(
        _ section: String,
        _ name: String,
        _ limit: Limit? = nil,
        _ make: @escaping @Sendable () -> EnvironmentScope
    ) -> Line {
        Line(.counts, section, name, .bytes, limit) { _ in Measurement(HeapUse.bytes(per: make)) }
    }
}
