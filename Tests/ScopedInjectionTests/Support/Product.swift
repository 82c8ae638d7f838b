/// A value whose instances can be told apart.
final class Product: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
}
