import Synchronization

/// How often one read builds values anew because their inputs changed meanwhile, before they are given unkept.
///
/// Shared by all builds of the read: if each had its own, nested ones would multiply.
final class Patience: Sendable {
    private let left = Atomic<Int>(10_000)

    var isOver: Bool { left.load(ordering: .relaxed) <= 0 }

    func lessen() { left.wrappingSubtract(1, ordering: .relaxed) }
}
