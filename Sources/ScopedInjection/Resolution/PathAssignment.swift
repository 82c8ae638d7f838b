/// An assignment of a value through a key path of the scope.
///
/// A set through a key path calls the property's getter first, and discards its result. For a missing value, that
/// would build a default in vain, or end the program. So the getter is tried first: if all that it reads is one
/// missing value of the type that is being set, its read returns the new value.
final class PathAssignment: @unchecked Sendable {
    // Sendable because it is made, used and released within one synchronous call on one thread.
    @TaskLocal private static var current: PathAssignment?

    // Let go of at the end, because a task that a builder starts may keep the assignment.
    private var scope: EnvironmentScope?
    private var value: Any?
    private let property: AnyKeyPath
    /// How many values the getter has read.
    private var reads = 0
    /// Whether the first read was of a value of the type that is being set, which may be missing at the next read.
    private var mayBeMissing = false

    private init(_ scope: EnvironmentScope, _ value: Any, _ property: AnyKeyPath) {
        self.property = property
        self.scope = scope
        self.value = value
    }

    static func assign<Value>(
        _ value: Value,
        to property: ReferenceWritableKeyPath<EnvironmentScope, Value>,
        of scope: EnvironmentScope
    ) {
        let assignment = PathAssignment(scope, value, property)
        defer { (assignment.scope, assignment.value) = (nil, nil) }  // fault: assignment-over
        assignment.run { _ = scope[keyPath: property] }
        guard assignment.mayBeMissing, assignment.reads == 1 else {
            scope[keyPath: property] = value
            return
        }
        assignment.reads = 0
        assignment.run { scope[keyPath: property] = value }
    }

    /// Runs an access through the key path, whose reads take the way through `placeholder`.
    private func run(_ body: () -> Void) {
        let thread = ThreadState.current
        thread.pointee.detours += 1
        thread.pointee.assignments += 1
        defer {
            thread.pointee.detours -= 1
            thread.pointee.assignments -= 1
        }
        Self.$current.withValue(self, operation: body)
    }

    /// Whether an assignment is in progress on this thread.
    static var isInProgress: Bool { ThreadState.current.pointee.assignments > 0 }

    /// The new value, for a read whose result is only overwritten; otherwise nil.
    static func placeholder<Value>(for key: TypedKey<Value>, in scope: EnvironmentScope) -> Value? {
        guard let current, current.scope === scope else { return nil }
        current.reads += 1
        // The types are compared, because a cast would also unwrap an optional.
        guard current.reads == 1, type(of: current.property).valueType == Value.self,
            !current.property.isLong  // fault: long-path
        else { return nil }
        current.mayBeMissing = true  // fault: assigned-present
        if scope.node?.hasValue(key.key) == true { return nil }
        return scope.constant(for: key) ?? current.value as? Value
    }
}

extension AnyKeyPath {
    /// Whether the path goes on within the property, as far as its description tells.
    ///
    /// The new value is then a part of the property, even if it is of the same type, and must not stand for it.
    fileprivate var isLong: Bool {
        let text = "\(self)"
        guard let start = text.firstIndex(of: ".") else { return false }
        var depth = 0
        var previous: Character = "."
        for character in text[start...].dropFirst() {
            if "<([".contains(character) {
                depth += 1
            } else if ")]".contains(character) || character == ">" && previous != "-" {
                depth -= 1
            } else if depth == 0, ".!?".contains(character) {
                return true
            }
            previous = character
        }
        return false
    }
}

extension EnvironmentScope {
    /// The constant that a read would keep and return, which calls no builder of the user's; nil for any other value.
    fileprivate func constant<Value>(for key: TypedKey<Value>) -> Value? {
        guard let node else { return nil }
        let line = node.startReading()
        var look = Look()
        var trail = Trail(key.key, past: 0)
        var isDefault = false
        if case .unbuilt(let decision) = look.follow(&trail, from: node) { isDefault = decision.isDefault }
        let isForbidden = Policy.outcome(in: node).isForbidden
        node.finishReading(line)
        let found = trail.key
        guard isDefault, found.ownDefault == .constant else { return nil }  // fault: constant-read
        guard found.isSafeInTests || found.hasTestValue || !isForbidden else { return nil }
        return try? found.typed(as: Value.self).make(in: self, isInTests: isForbidden)
    }
}
