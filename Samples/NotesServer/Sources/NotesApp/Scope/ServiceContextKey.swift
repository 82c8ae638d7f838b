package import Instrumentation
package import ScopedInjection

/// The trace that the work in this scope is part of.
///
/// A value of the scope rather than the library's task-local, so that it is carried along like everything else, and so that
/// values built from it are built anew for each request.
package enum ServiceContextKey: ScopeKey {
    package static var defaultValue: ServiceContext { .topLevel }
}

extension EnvironmentScope {
    /// The trace that the work in this scope is part of.
    package var serviceContext: ServiceContext {
        get { self[ServiceContextKey.self] }
        set { self[ServiceContextKey.self] = newValue }
    }
}
