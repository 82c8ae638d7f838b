import ScopedInjection

struct Handler {
    // The second error names it: value of type 'User' has no member 'nmae'.
    // error: cannot convert value of type 'KeyPath<Root, Optional<_>>' to expected argument type 'Key.Type'
    @Injected(\.user?.nmae) var userName: String?
}
