public import Foundation
import ScopedInjection

/// Makes identifiers that are the same in each run: 1, 2, 3 and so on in their last part.
///
/// ```swift
/// $0.newID = TestIDs().next
/// ```
///
/// It may be used from any thread; who asks first gets the first one.
public final class TestIDs: Sendable {
    private let count = Guarded(0)

    /// Creates a series that begins with 1.
    public init() {}

    /// The next identifier: `00000000-0000-0000-0000-000000000001` first.
    @Sendable public func next() -> UUID {
        let number = count.withLock { count -> Int in
            count += 1
            return count
        }
        return Self.id(number)
    }

    /// The identifier with a number in its last part.
    public static func id(_ number: Int) -> UUID {
        let bytes = (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * (5 - $0))) }
        return UUID(
            uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5])
        )
    }
}

/// Random numbers that are the same in each run.
///
/// ```swift
/// $0.randomNumbers = TestRandomNumbers(seed: 1)
/// ```
///
/// Copies go on from where they were copied.
public struct TestRandomNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates the series that belongs to a seed.
    public init(seed: UInt64) { state = seed }

    /// The next number of the series.
    public mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
