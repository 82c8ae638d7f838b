/// What children hold of their parent: they own the handle, the handle does not own the scope.
///
/// A scope has one for each line, so that children made on different threads do not meet there. It is cleared under all
/// lines when its scope goes, so whoever holds a line and finds the scope may use it until the line is given back.
final class Handle: @unchecked Sendable {
    // Sendable because it is read under a line and changed under all of them, but for what its own line guards.

    enum Kind: UInt8 { case scope, global, builder }

    let kind: Kind
    /// A number that no other handle has.
    let number: UInt64
    /// Names the scope in texts after it is gone.
    let name: String?
    /// The scope's node; nil when the scope is gone, and while another handle stands in.
    @exclusivity(unchecked) var node: NodePointer?
    /// Of a builder's scope that outlived its build: the handle of the scope that keeps the value.
    @exclusivity(unchecked) var standIn: Handle?

    /// The line that guards what follows.
    let line: Int
    /// How many keep the scope in force by this handle.
    @exclusivity(unchecked) private(set) var holders = 0
    /// The scope, as long as anybody does; retained by hand, so that it is retained just once.
    @exclusivity(unchecked) private var held: Unmanaged<EnvironmentScope>?
    private weak let scope: EnvironmentScope?

    /// So that two handles never share a cache line.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

    init(_ kind: Kind, of scope: EnvironmentScope?, node: NodePointer?, name: String?, number: UInt64, line: Int) {
        self.kind = kind
        self.node = node
        self.name = name
        self.number = number
        self.line = line
        self.scope = scope
    }

    /// The node of the scope, or of the one that stands in; while a line is held.
    @inline(__always)
    var reached: NodePointer? { node ?? standIn?.node }

    /// The scope, or the one that stands in, where it is alive.
    var target: EnvironmentScope? { scope ?? standIn?.scope }

    // MARK: Being in force

    /// Keeps the scope alive until it is released; false where it is gone.
    ///
    /// While the handle's own line is held.
    func retain() -> Bool {
        if holders == 0 {
            guard let scope else { return false }
            held = .passRetained(scope)
        }
        holders += 1
        return true
    }

    /// Gives back what has to be released when the line is no longer held.
    func release() -> Unmanaged<EnvironmentScope>? {
        holders -= 1
        guard holders == 0 else { return nil }  // fault: holders
        defer { held = nil }
        return held
    }

    /// Whether anybody keeps the scope in force by this handle; while the handle's own line is held.
    var isHeld: Bool { holders > 0 }
}
