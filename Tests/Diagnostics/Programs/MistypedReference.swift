import ScopedInjection

struct Handler {
    // error: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'Key.Type'
    @Injected(\.prot) var port
}
