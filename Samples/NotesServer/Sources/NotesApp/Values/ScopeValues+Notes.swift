package import AsyncHTTPClient
package import Configuration
package import Foundation
package import Instrumentation
package import Logging
package import Metrics
package import ScopedInjection

/// Everything that the parts of the server get from a scope.
///
/// In a program of one module the lines of `Stored` would stand here themselves. The tests are another module, and there a
/// debug build of Swift 6.3 crashes on a key path to a *stored* property of an extension, so these are computed.
extension ScopeValues {
    package static var configuration: ScopeValue<ConfigReader> { Stored.configuration }
    package static var hostname: ScopeValue<String> { Stored.hostname }
    package static var port: ScopeValue<Int> { Stored.port }
    package static var requestTimeout: ScopeValue<Duration> { Stored.requestTimeout }
    package static var retention: ScopeValue<Duration?> { Stored.retention }
    package static var announcementURL: ScopeValue<String?> { Stored.announcementURL }
    package static var databaseFolder: ScopeValue<String> { Stored.databaseFolder }
    package static var accountsFile: ScopeValue<String?> { Stored.accountsFile }
    package static var accounts: ScopeValue<Accounts> { Stored.accounts }
    package static var logger: ScopeValue<Logger> { Stored.logger }
    package static var metrics: ScopeValue<any MetricsFactory> { Stored.metrics }
    package static var instrument: ScopeValue<any Instrument> { Stored.instrument }
    package static var clock: ScopeValue<@Sendable () -> Date> { Stored.clock }
    package static var httpClient: ScopeValue<HTTPClient> { Stored.httpClient }
    package static var announcer: ScopeValue<any Announcer> { Stored.announcer }
    package static var backgroundWork: ScopeValue<BackgroundWork> { Stored.backgroundWork }
    package static var tenants: ScopeValue<Tenants> { Stored.tenants }
    package static var tenant: ScopeValue<Tenant> { Stored.tenant }
    package static var database: ScopeValue<NotesDatabase> { Stored.database }
    package static var noteStore: ScopeValue<NoteStore> { Stored.noteStore }
    package static var requestID: ScopeValue<RequestID?> { Stored.requestID }
    package static var user: ScopeValue<User> { Stored.user }
    package static var serviceContext: ScopeValue<ServiceContext> { Stored.serviceContext }
    package static var transaction: ScopeValue<Transaction> { Stored.transaction }
}

/// What each value is where nobody sets it.
private enum Stored {
    // Settings. Only the live application has a configuration; a test sets the values.
    static let configuration = ScopeValue<ConfigReader>.required()
    static let hostname = ScopeValue { try $0.value(for: \.configuration).hostname() }
    static let port = ScopeValue { try $0.value(for: \.configuration).port() }
    static let requestTimeout = ScopeValue { try $0.value(for: \.configuration).requestTimeout() }
    static let retention = ScopeValue<Duration?> { try $0.value(for: \.configuration).retention() }
    static let announcementURL = ScopeValue<String?> { try $0.value(for: \.configuration).announcementURL() }
    static let databaseFolder = ScopeValue { try $0.value(for: \.configuration).databaseFolder() }
    static let accountsFile = ScopeValue<String?> { try $0.value(for: \.configuration).accountsFile() }

    // Of the application.
    static let accounts = ScopeValue { try Accounts.live(in: $0) }
    static let logger = ScopeValue { try $0.value(for: \.configuration).logger() }
    static let metrics = ScopeValue<any MetricsFactory> { _ in MetricsSystem.factory }
    static let instrument = ScopeValue<any Instrument>(TraceParentInstrument())  // or that of your tracing backend
    static let clock = ScopeValue<@Sendable () -> Date>({ Date() })  // a function, since a date would stand still
    static let httpClient = ScopeValue<HTTPClient>.required()
    static let announcer = ScopeValue { try makeAnnouncer(in: $0) }
    static let backgroundWork = ScopeValue<BackgroundWork>.required()
    static let tenants = ScopeValue { try Tenants.live(in: $0) }

    // Of a tenant. The store is built from the tenant's database, so it is kept where that is: one for all its requests.
    static let tenant = ScopeValue<Tenant>.required()
    static let database = ScopeValue<NotesDatabase>.required()  // no default: a test must not open a file
    static let noteStore = ScopeValue { NoteStore(database: try $0.value(for: \.database)) }

    // Of a request, and of work that a request starts.
    static let requestID = ScopeValue<RequestID?>()
    static let user = ScopeValue<User>.required()  // no default: nothing is done for nobody in particular
    static let serviceContext = ScopeValue(ServiceContext.topLevel)
    static let transaction = ScopeValue<Transaction>.required()  // see provideTransaction()
}
