import Harness
import HeapCounting

/// What code does to the heap.
struct HeapUse: Sendable {
    /// The number of blocks asked for.
    let allocations: Int
    /// The bytes in use afterwards that were not before, with what the allocator adds to each block.
    let bytes: Int

    /// Whether each allocation of the thread is counted, and nothing else.
    ///
    /// Elsewhere the allocator only tells what is in use by all threads: fine for scopes that are kept, in a program that
    /// does nothing else meanwhile, but blind to what is freed at once.
    static var isExact: Bool { countsExactly() }

    init(allocations: Int, bytes: Int) {
        self.allocations = allocations
        self.bytes = bytes
    }

    /// Counts what this thread does while `body` runs; see `isExact`.
    init(of body: () -> Void) {
        startCounting()
        body()
        let change = stopCounting()
        self.init(allocations: Int(change.allocations), bytes: Int(change.bytes))
    }

    private init(of operation: Operation, _ count: Int) {
        var use = HeapUse(allocations: 0, bytes: 0)
        operation.run(count) { use = HeapUse(of: $0) }
        self = use
    }

    /// The allocations of an operation; what it needs once and for all is not counted.
    static func allocations(of operation: Operation) -> Double {
        let count = 1_000
        operation.run(count)
        return Double(HeapUse(of: operation, count).allocations) / Double(count)
    }

    /// The bytes that doing something over and over leaves behind in all, after a first thousand times.
    static func growth(of operation: Operation, rounds: Int) -> Double {
        operation.run(1_000)
        return Double(HeapUse(of: operation, rounds).bytes)
    }

    /// The bytes that one of many objects takes, with all that belongs to it.
    ///
    /// It is the median: now and then the allocator gives a block that is larger than it was asked for, because what
    /// would be left of it is too small to be one.
    static func bytes<Object: AnyObject>(per make: () -> Object) -> Double {
        var objects = [make()]
        let bytes = (0..<1_000).map { _ in
            var object: Object?
            let use = HeapUse { object = make() }
            if let object { objects.append(object) }
            return Double(use.bytes)
        }
        return withExtendedLifetime(objects) { median(bytes) }
    }
}
