import Synchronization

/// Counts the discards of kept values in the whole process, so that what was built before one can tell.
///
/// What a scope further in has built from a discarded value has the same inputs as before. Each build takes the count
/// before it reads anything, and the discarded values are marked with the new count in their scope.
enum Discards {
    private static let discards = Atomic<UInt64>(0)

    static var count: UInt64 { discards.load(ordering: .relaxed) }

    /// The count of another discard; the caller has called `startWriting` for the scope.
    static func next() -> UInt64 { discards.wrappingAdd(1, ordering: .relaxed).newValue }
}
