/// A value whose instances can be told apart.
final class Product: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
}

/// One that was built from another one.
final class Thing: Sendable {
    let text: String
    let other: Thing?
    init(_ text: String, _ other: Thing? = nil) { (self.text, self.other) = (text, other) }
}

/// Runs a body when it goes.
final class Farewell: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}

/// Not sendable: it may be returned, but not sent to another task.
final class Draft { var text = "" }
