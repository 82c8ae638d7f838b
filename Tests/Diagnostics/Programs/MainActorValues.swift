// flags: -default-isolation MainActor
import ScopedInjection

extension ScopeValues {
    static var limit: ScopeValue<Int> { .value(100) }
    // Values are declared in a `nonisolated extension ScopeValues` there; the page about the main actor says so.
    // error: cannot form key path to main actor-isolated static property 'limit'
    static var twice: ScopeValue<Int> { .lazy { try $0.limit * 2 } }
}
