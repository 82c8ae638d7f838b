import Synchronization

/// A value on its way into a scope through a key path.
///
/// Setting through a key path reads the property first, and throws away what it got. For a value that is not there that
/// read would build a default in vain, or end the program; it is given the value that is about to be set.
struct PathAssignment: @unchecked Sendable {
    // Sendable because it is made, used and gone within one synchronous call.
    @TaskLocal private static var current: PathAssignment?

    /// So that a read asks for the current one only while there is any.
    static var isAnyInProgress: Bool { inProgress.load(ordering: .relaxed) > 0 }

    private static let inProgress = Atomic<Int>(0)

    private let scope: EnvironmentScope
    private let value: Any
    private let type: Any.Type

    init<Value>(scope: EnvironmentScope, value: Value) {
        self.scope = scope
        self.value = value
        type = Value.self
    }

    func run(_ assign: () -> Void) {
        Self.inProgress.wrappingAdd(1, ordering: .relaxed)
        defer { Self.inProgress.wrappingSubtract(1, ordering: .relaxed) }
        Self.$current.withValue(self, operation: assign)
    }

    /// What a read in a scope may be given, because it is only there to be overwritten.
    static func value<Value>(of type: Value.Type, in scope: EnvironmentScope) -> Value? {
        guard let current, current.scope === scope else { return nil }
        // By the type itself: a cast would also turn an optional into what it holds.
        return current.type == type ? current.value as? Value : nil
    }
}
