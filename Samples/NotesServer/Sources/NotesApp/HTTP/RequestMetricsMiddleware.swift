import Hummingbird
import Metrics
import ScopedInjection

/// Counts and times the requests, by route, status and tenant.
struct RequestMetricsMiddleware: RouterMiddleware {
    @Injected(\.metrics) private var metrics

    func handle(
        _ request: Request,
        context: NotesRequestContext,
        next: @concurrent (Request, NotesRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let dimensions = [
            // The route and not the path, of which there are as many as notes.
            ("route", context.endpointPath ?? "none"),
            ("status", "\(response.status.code)"),
            ("tenant", EnvironmentScope.current.tenantIfAny?.name ?? "none"),
        ]
        Counter(label: "http_requests_total", dimensions: dimensions, factory: metrics).increment()
        Timer(label: "http_request_duration", dimensions: dimensions, factory: metrics).record(duration: .now - start)
        return response
    }
}
