package import Instrumentation
package import ScopedInjection

/// Carries traces from request to request and from service to service.
///
/// Passes the header on; set the tracer of your tracing backend here to record spans as well.
package enum InstrumentKey: ScopeKey {
    package static var defaultValue: any Instrument { TraceParentInstrument() }
}

extension EnvironmentScope {
    /// Carries traces from request to request and from service to service.
    package var instrument: any Instrument {
        get { self[InstrumentKey.self] }
        set { self[InstrumentKey.self] = newValue }
    }
}
