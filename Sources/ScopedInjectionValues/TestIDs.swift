public import Foundation
import ScopedInjection

/// Makes identifiers that are the same in each run: their last part is 1, 2, 3 and so on.
///
/// Tests are given such a series for ``ScopedInjection/ScopeValues/uuid``. Set one for a value of your own:
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
