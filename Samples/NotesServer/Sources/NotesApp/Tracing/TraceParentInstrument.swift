package import Instrumentation

/// Passes the W3C header `traceparent` on from request to request, and does nothing else.
package struct TraceParentInstrument: Instrument {
    package init() {}

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.traceParent = extractor.extract(key: Self.header, from: carrier)
            .flatMap {
                $0.wholeMatch(of: /[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}/).map { String($0.output) }
            }
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let traceParent = context.traceParent else { return }
        injector.inject(traceParent, forKey: Self.header, into: &carrier)
    }

    private static let header = "traceparent"
}
