package import Instrumentation
package import ScopedInjection

// What belongs to a request.

extension ScopeValues {
    /// The id of the request being answered; nil outside a request.
    package static let requestID = ScopeValue<RequestID?>(name: "requestID")

    /// The user on whose behalf the request is made, or the work that a request has started.
    ///
    /// It has no default: what is done for nobody in particular must not be done for somebody.
    package static let user = ScopeValue<User>.required(name: "user")

    /// The trace that the work in this scope is part of.
    ///
    /// A value of the scope rather than the library's task-local, so that it is carried along like everything else, and so
    /// that values built from it are built anew for each request.
    package static let serviceContext = ScopeValue<ServiceContext>(name: "serviceContext") { _ in .topLevel }

    /// The work on the database that is committed or rolled back as one.
    ///
    /// Each request and each job provides one in its own scope (see ``EnvironmentScope/provideTransaction()``), so that a
    /// scope nested in it does not get another.
    package static let transaction = ScopeValue<Transaction>.required(name: "transaction")
}

extension EnvironmentScope {
    /// The user, or nil where there is none: in the scope of a request that is not authenticated.
    package var userIfAny: User? { try? valueIfAny(\.user) }
}
