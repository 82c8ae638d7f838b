package import Metrics
import Synchronization

/// How many requests have a scope that is not closed yet: what is left over when all are answered is a leak.
package final class OpenRequests: Sendable {
    private let open = Atomic(0)
    private let meter: any MeterHandler

    package init(metrics: any MetricsFactory) {
        meter = metrics.makeMeter(label: "http_requests_open", dimensions: [])
    }

    package var count: Int { open.load(ordering: .relaxed) }

    /// Notes that a request has got its scope.
    func begin() { meter.set(Int64(open.wrappingAdd(1, ordering: .relaxed).newValue)) }

    /// Notes that the scope of a request is closed.
    func end() { meter.set(Int64(open.wrappingSubtract(1, ordering: .relaxed).newValue)) }
}
