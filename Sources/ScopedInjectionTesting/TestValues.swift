public import Foundation
import ScopedInjection

/// Makes identifiers that are the same in each run: their last part is 1, 2, 3 and so on.
///
/// Set its method `next` for the value that makes identifiers.
///
/// ```swift
/// $0.newID = TestIDs().next
/// ```
///
/// All members may be used from any thread at any time. Whoever asks first gets the first identifier.
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

    /// The identifier with a number in its last part, to compare with.
    public static func id(_ number: Int) -> UUID {
        let bytes = (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * (5 - $0))) }
        return UUID(
            uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5])
        )
    }
}

/// Random numbers that are the same in each run.
///
/// Set it for the value that gives random numbers.
///
/// ```swift
/// $0.randomNumbers = TestRandomNumbers(seed: 1)
/// ```
///
/// A copy goes on from where it was copied. Each read of a scope's value gives a copy, so each reader gets the same
/// numbers.
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
