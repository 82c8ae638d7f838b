import ScopedInjection

final class Service: Sendable {
    // error: cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'Key.Type'
    let port = Injected(\.prot)
}
