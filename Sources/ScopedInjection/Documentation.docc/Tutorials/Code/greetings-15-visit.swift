import ScopedInjection
import Synchronization

final class Visit: Sendable {
    private let steps = Mutex<[String]>([])
    let log: @Sendable (String) -> Void

    init(log: @escaping @Sendable (String) -> Void) { self.log = log }

    func add(_ step: String) { steps.withLock { $0.append(step) } }

    func end() { log(steps.withLock { $0.joined(separator: ", ") }) }
}

extension ScopeValues {
    static var log: ScopeValue<@Sendable (String) -> Void> {
        .value({ print($0) }, inTests: { _ in })
    }
    static var visit: ScopeValue<Visit> {
        .lazy(.once(in: .request), isSafeInTests: true) {
            let visit = Visit(log: try $0.log)
            $0.onClose { visit.end() }
            return visit
        }
    }
}
