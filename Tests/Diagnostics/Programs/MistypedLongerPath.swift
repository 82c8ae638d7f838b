import ScopedInjection

struct Handler {
    // error: converting non-Sendable function value to '@Sendable (ScopeView) -> String?' may introduce data races
    // error: value of type 'User' has no member 'nmae'
    @Injected(\.user?.nmae) var userName: String?
}
