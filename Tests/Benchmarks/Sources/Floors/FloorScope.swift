internal import Synchronization

/// The steps that a request cannot do without, and nothing else.
///
/// They are a table, a walk outwards under one line of a lock, a handle of the parent, and a task-local. Nothing waits,
/// nothing is checked, and nothing that is set changes again.
public final class FloorScope: @unchecked Sendable {
    // Sendable because a scope is read by others only when it has its values.
    private var slots: [Slot?] = Array(repeating: nil, count: 8)
    private let parent: StripedHandles.Handle?
    private var handles: StripedHandles?
    private let mutex = Mutex(())

    private struct Slot {
        let key: UInt
        let cell: Cell
    }

    private final class Cell {
        let value: Int

        init(_ value: Int) { self.value = value }
    }

    private final class Anchor: Sendable {
        let scope: FloorScope
        private let kept: FloorScope?

        init(_ scope: FloorScope, keeping kept: FloorScope?) { (self.scope, self.kept) = (scope, kept) }
    }

    @TaskLocal private static var anchor: Anchor?

    private init(parent: StripedHandles.Handle?) { self.parent = parent }

    /// Creates a scope that can have children.
    public convenience init() {
        self.init(parent: nil)
        handles = StripedHandles(of: self)
    }

    /// A scope that holds its parent by the handle of the thread.
    public func child() -> FloorScope { FloorScope(parent: handles?.ofThread) }

    /// Sets a value.
    public func set(_ key: UInt, _ value: Int) {
        let cell = Cell(value)
        mutex.withLock { _ in
            FloorLines.withLine { slots[place(of: key)] = Slot(key: key, cell: cell) }
        }
    }

    /// Runs code with this scope as the current one.
    ///
    /// - Parameter keepsParent: Whether the parent is kept alive meanwhile: one reference count that all threads write to.
    @inline(never)
    public func run(keepingParent keepsParent: Bool = false, _ body: () -> Void) {
        Self.$anchor.withValue(Anchor(self, keeping: keepsParent ? parent?.scope : nil), operation: body)
    }

    /// What the current scope sees.
    @inline(never)
    public static func read(_ key: UInt) -> Int { anchor?.scope.value(key) ?? 0 }

    private func value(_ key: UInt) -> Int {
        FloorLines.withLine {
            var next: Unmanaged<FloorScope>? = .passUnretained(self)
            while let scope = next {
                let (value, parent) = scope._withUnsafeGuaranteedRef { ($0.localValue(key), $0.unretainedParent) }
                if let value { return value }
                next = parent
            }
            return 0
        }
    }

    @inline(__always)
    private var unretainedParent: Unmanaged<FloorScope>? { parent.map { .passUnretained($0.scope) } }

    @inline(__always)
    private func localValue(_ key: UInt) -> Int? {
        guard let slot = slots[place(of: key)], slot.key == key else { return nil }
        return slot.cell.value
    }

    /// The place of the key, or the empty one where it would be.
    @inline(__always)
    private func place(of key: UInt) -> Int {
        var place = Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 40) & 7
        while let slot = slots[place], slot.key != key { place = (place &+ 1) & 7 }
        return place
    }
}
