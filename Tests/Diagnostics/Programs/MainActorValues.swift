// flags: -default-isolation MainActor
import ScopedInjection

extension ScopeValues {
    static let limit = ScopeValue(100)
    // Values are declared in a `nonisolated extension ScopeValues` there; the page about the main actor says so.
    // error: cannot form key path to main actor-isolated static property 'limit'
    static let twice = ScopeValue { scope in scope.limit * 2 }
}
