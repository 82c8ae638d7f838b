package import AsyncHTTPClient
package import Foundation
package import Instrumentation
package import Logging
package import Metrics
package import ScopedInjection

// What all requests share.

extension ScopeValues {
    /// The logger of what runs in a scope: the application's, and in the scope of a request one that carries its id.
    package static let logger = ScopeValue<Logger>(name: "logger") { scope in
        var logger = Logger(label: "notes-server")
        logger.logLevel = try scope.value(for: \.logLevel)
        return logger
    }

    /// Where counts and times are reported.
    package static let metrics = ScopeValue<any MetricsFactory>(name: "metrics") { _ in MetricsSystem.factory }

    /// Carries traces from request to request and from service to service.
    ///
    /// Passes the header on; set the tracer of your tracing backend here to record spans as well.
    package static let instrument = ScopeValue<any Instrument>(name: "instrument") { _ in TraceParentInstrument() }

    /// Gives the time now: a function, because a value that is kept would stand still.
    package static let clock = ScopeValue<@Sendable () -> Date>(name: "clock") { _ in { Date() } }

    /// The client for requests to other services.
    ///
    /// It has no default: a test does not reach other services by accident.
    package static let httpClient = ScopeValue<HTTPClient>.required(name: "httpClient")

    /// Tells another service of new notes.
    package static let announcer = ScopeValue<any Announcer>(name: "announcer") { scope in
        guard let url = try scope.value(for: \.announcementURL) else { return SilentAnnouncer() }
        return HTTPAnnouncer(client: try scope.value(for: \.httpClient), url: url)
    }

    /// Work that outlives the request that starts it.
    ///
    /// It has no default, because somebody has to run it: see ``makeNotesApplication(in:configuration:addRoutes:)``.
    package static let backgroundWork = ScopeValue<BackgroundWork>.required(name: "backgroundWork")

    /// The scopes of the tenants that have users.
    ///
    /// Kept by the application's scope, and closed with it.
    package static let tenants = ScopeValue<Tenants>(name: "tenants") { scope in
        let tenants = Tenants(try scope.value(for: \.accounts).tenants, parent: scope)
        scope.onClose { await tenants.close() }
        return tenants
    }
}
