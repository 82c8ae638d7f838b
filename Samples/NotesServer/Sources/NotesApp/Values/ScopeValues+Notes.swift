package import AsyncHTTPClient
package import Foundation
package import Instrumentation
package import Logging
package import Metrics
package import ScopedInjection

/// Everything that the parts of the server get from a scope, and what each value is where nobody sets it.
extension ScopeValues {
    // Settings: what reads them, at each read, and each for itself, as the application's scope has taken it (EnvironmentScope.take).
    package static var settings: ScopeValue<Settings> { .required(.transient) }
    package static var hostname: ScopeValue<String> { .required() }
    package static var port: ScopeValue<Int> { .required() }
    package static var logLevel: ScopeValue<Logger.Level> { .required() }
    package static var requestTimeout: ScopeValue<Duration> { .required() }
    package static var retention: ScopeValue<Duration?> { .required() }
    package static var announcementURL: ScopeValue<String?> { .required() }
    package static var databaseFolder: ScopeValue<String> { .required() }
    package static var accountsFile: ScopeValue<String?> { .required() }

    // Of the application.
    package static var accounts: ScopeValue<Accounts> { .lazy(.once(in: .application)) { try Accounts.live($0) } }
    package static var logger: ScopeValue<Logger> { .lazy { try makeLogger($0) } }
    package static var metrics: ScopeValue<any MetricsFactory> { .lazy { _ in MetricsSystem.factory } }
    package static var instrument: ScopeValue<any Instrument> { .value(TraceParentInstrument()) }  // or your tracer's
    package static var clock: ScopeValue<@Sendable () -> Date> { .value({ Date() }) }  // a date would stand still
    package static var httpClient: ScopeValue<HTTPClient> { .required() }
    package static var announcer: ScopeValue<any Announcer> { .lazy { try makeAnnouncer($0) } }
    package static var backgroundWork: ScopeValue<BackgroundWork> { .required() }
    package static var tenants: ScopeValue<Tenants> { .lazy(.once(in: .application)) { try .live($0) } }

    package static var pauseOfEvents: ScopeValue<Duration> { .value(.seconds(1)) }
    package static var openRequests: ScopeValue<OpenRequests> { .lazy { try OpenRequests(metrics: $0.metrics) } }

    // Of a tenant. The store is built from the tenant's database, so it is kept where that is: one for all its requests.
    // The database has no default: a test must not open a file.
    package static var tenant: ScopeValue<Tenant> { .required() }
    package static var database: ScopeValue<NotesDatabase> { .required(.once(in: .tenant)) }
    package static var noteStore: ScopeValue<NoteStore> { .lazy { try NoteStore(database: $0.database) } }

    // Of a request, and of work that a request starts.
    package static var requestID: ScopeValue<RequestID?> { .optional() }
    package static var user: ScopeValue<User> { .required() }  // no default: nothing is done for nobody in particular
    package static var serviceContext: ScopeValue<ServiceContext> { .value(.topLevel) }
    package static var transaction: ScopeValue<Transaction> { .lazy(.once(in: .request)) { try .live($0) } }
}

extension ScopeRole {
    /// The role of a tenant's scope, between the application's and those of its requests.
    package static var tenant: ScopeRole { ScopeRole() }
    /// The role of what is open for as long as a client listens, around the requests that it makes.
    package static var connection: ScopeRole { ScopeRole() }
}
