package import ScopedInjection

/// Work that outlives the request that starts it.
///
/// It has no default, because somebody has to run it: see ``makeNotesApplication(in:configuration:addRoutes:)``.
package enum BackgroundWorkKey: ScopeKey {
    package typealias Value = BackgroundWork
}

extension EnvironmentScope {
    /// Work that outlives the request that starts it.
    package var backgroundWork: BackgroundWork {
        get { self[BackgroundWorkKey.self] }
        set { self[BackgroundWorkKey.self] = newValue }
    }
}
