import ScopedInjection

/// Random numbers, of the system or the same in each run.
///
/// Copies share one series, so that each reader of a scope's value gets other numbers.
///
/// ```swift
/// var numbers = RandomNumbers(seed: 1)
/// let number = Int.random(in: 1...6, using: &numbers)
/// ```
///
/// Copies may be used from any thread at any time. Whoever asks first gets the first number.
public struct RandomNumbers: RandomNumberGenerator, Sendable {
    private let make: @Sendable () -> UInt64

    /// Creates random numbers that a closure gives.
    public init(_ make: @escaping @Sendable () -> UInt64) { self.make = make }

    /// Creates the series that belongs to a seed, for tests.
    ///
    /// - Parameter seed: Of two series, whether they are the same. It is no secret for a generator of secrets.
    public init(seed: UInt64) {
        let series = Series(seed: seed)
        make = { series.next() }
    }

    /// The random numbers of the system.
    public static var system: RandomNumbers {
        RandomNumbers {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
    }

    /// The next number.
    public func next() -> UInt64 { make() }

    private final class Series: Sendable {
        private let state: Guarded<UInt64>

        init(seed: UInt64) { state = Guarded(seed) }

        func next() -> UInt64 {
            // SplitMix64.
            var mixed = state.withLock { state -> UInt64 in
                state &+= 0x9E37_79B9_7F4A_7C15
                return state
            }
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
