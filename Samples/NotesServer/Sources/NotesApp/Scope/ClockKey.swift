package import Foundation
package import ScopedInjection

/// The clock that stamps new notes: a function, because a value that is kept would stand still.
package enum ClockKey: ScopeKey {
    package static let defaultValue: @Sendable () -> Date = { Date() }
}

extension EnvironmentScope {
    /// Gives the time now.
    package var clock: @Sendable () -> Date {
        get { self[ClockKey.self] }
        set { self[ClockKey.self] = newValue }
    }
}
