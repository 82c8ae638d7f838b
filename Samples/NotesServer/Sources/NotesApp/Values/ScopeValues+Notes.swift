package import AsyncHTTPClient
package import Configuration
package import Foundation
package import Instrumentation
package import Logging
package import Metrics
package import ScopedInjection

/// Everything that the parts of the server get from a scope, and what each value is where nobody sets it.
extension ScopeValues {
    // Settings. Only the live application has a configuration; a test sets the values.
    package static var configuration: ScopeValue<ConfigReader> { .required() }
    package static var hostname: ScopeValue<String> { .lazy { try $0.configuration.hostname() } }
    package static var port: ScopeValue<Int> { .lazy { try $0.configuration.port() } }
    package static var requestTimeout: ScopeValue<Duration> { .lazy { try $0.configuration.requestTimeout() } }
    package static var retention: ScopeValue<Duration?> { .lazy { try $0.configuration.retention() } }
    package static var announcementURL: ScopeValue<String?> { .lazy { try $0.configuration.announcementURL() } }
    package static var databaseFolder: ScopeValue<String> { .lazy { try $0.configuration.databaseFolder() } }
    package static var accountsFile: ScopeValue<String?> { .lazy { try $0.configuration.accountsFile() } }

    // Of the application.
    package static var accounts: ScopeValue<Accounts> { .lazy(.once(in: .application)) { try Accounts.live($0) } }
    package static var logger: ScopeValue<Logger> { .lazy { try $0.configuration.logger() } }
    package static var metrics: ScopeValue<any MetricsFactory> { .lazy { _ in MetricsSystem.factory } }
    package static var instrument: ScopeValue<any Instrument> { .value(TraceParentInstrument()) }  // or your tracer's
    package static var clock: ScopeValue<@Sendable () -> Date> { .value({ Date() }) }  // a date would stand still
    package static var httpClient: ScopeValue<HTTPClient> { .required() }
    package static var announcer: ScopeValue<any Announcer> { .lazy { try makeAnnouncer($0) } }
    package static var backgroundWork: ScopeValue<BackgroundWork> { .required() }
    package static var tenants: ScopeValue<Tenants> { .lazy(.once(in: .application)) { try .live($0) } }

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
}
