package import Instrumentation

extension ServiceContext {
    /// The trace, and the step in it, that the work is part of, as the header `traceparent` has it.
    package var traceParent: String? {
        get { self[TraceParentKey.self] }
        set { self[TraceParentKey.self] = newValue }
    }
}

private enum TraceParentKey: InstrumentationContextKey {
    typealias Value = String
}
