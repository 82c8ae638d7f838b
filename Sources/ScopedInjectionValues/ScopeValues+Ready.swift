public import Foundation
public import ScopedInjection

/// Values that are ready: what a program would else ask the system for, so that tests decide on it.
///
/// A test that sets none of them is given what does not change from run to run. A program that has no use for one declares a value of
/// that name itself, in any of its modules: its own counts there.
extension ScopeValues {
    // Disfavoured, so that one of the same name in another module is not ambiguous.

    /// Gives the date of now.
    ///
    /// ```swift
    /// struct Receipt: Sendable {
    ///     @Injected(\.now) var now
    ///     func title() -> String { "Bought on \(now())" }
    /// }
    /// ```
    ///
    /// In tests it is the date at which ``clock`` stands, where that is a ``TestClock`` or an ``ImmediateClock``; at first, the first
    /// second of 2001. A test that wants another one sets it: `$0.now = { date }`.
    @_disfavoredOverload
    public static var now: ScopeValue<@Sendable () -> Date> {
        .lazy(
            makeInTests: { reader in
                guard let clock = try reader.clock as? any ClockOfTests else { return { Date() } }
                return { clock.date }
            }
        ) { _ in { Date() } }
    }

    /// Makes identifiers.
    ///
    /// ```swift
    /// struct Orders: Sendable {
    ///     @Injected(\.uuid) var uuid
    ///     func begin() -> UUID { uuid() }
    /// }
    /// ```
    ///
    /// In tests they are those of ``TestIDs``, 1, 2, 3 and so on for each test. A test that wants another one sets it:
    /// `$0.uuid = { id }`.
    @_disfavoredOverload
    public static var uuid: ScopeValue<@Sendable () -> UUID> { .value({ UUID() }, inTests: TestIDs().next) }

    /// A clock to sleep on, which goes on while the machine sleeps.
    ///
    /// ```swift
    /// struct Retries: Sendable {
    ///     @Injected(\.clock) var clock
    ///     func pause() async throws { try await clock.sleep(for: .seconds(5)) }
    /// }
    /// ```
    ///
    /// In tests it is an ``ImmediateClock``, on which nobody waits. A test that wants to move it sets a ``TestClock``.
    @_disfavoredOverload
    public static var clock: ScopeValue<any Clock<Duration>> { .value(ContinuousClock(), inTests: ImmediateClock()) }

    /// Random numbers.
    ///
    /// ```swift
    /// struct Dice: Sendable {
    ///     @Injected(\.randomNumbers) var randomNumbers
    ///     func roll() -> Int {
    ///         var numbers = randomNumbers
    ///         return .random(in: 1...6, using: &numbers)
    ///     }
    /// }
    /// ```
    ///
    /// In tests they are the same in each run: those of the seed 0. A test that wants others sets them:
    /// `$0.randomNumbers = RandomNumbers(seed: 1)`.
    @_disfavoredOverload
    public static var randomNumbers: ScopeValue<RandomNumbers> { .value(.system, inTests: RandomNumbers(seed: 0)) }
}

/// A clock that says what date it is.
protocol ClockOfTests: Sendable { var date: Date { get } }
extension TestClock: ClockOfTests {}
extension ImmediateClock: ClockOfTests {}
