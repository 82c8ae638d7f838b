import ScopedInjection

struct Handler {
    // The second error names it: value of type 'User' has no member 'nmae'.
    // error: converting non-Sendable function value to '@Sendable (ScopeView) -> String?' may introduce data races
    @Injected(\.user?.nmae) var userName: String?
}
