import Dispatch
import Foundation
import Synchronization

// Stand-ins with the names and shapes of Vapor 4, as far as the page "Moving from Vapor's services" needs them.

nonisolated protocol StorageKey { associatedtype Value: Sendable }

nonisolated final class Application: Sendable {
    private let storage = Mutex<[ObjectIdentifier: any Sendable]>([:])
    private let handlers = Mutex<[any LifecycleHandler]>([])

    subscript<Key: StorageKey>(_ key: Key.Type) -> Key.Value? {
        get { storage.withLock { $0[ObjectIdentifier(key)] } as? Key.Value }
        set { storage.withLock { $0[ObjectIdentifier(key)] = newValue } }
    }

    var lifecycle: Lifecycle { Lifecycle(application: self) }

    struct Lifecycle {
        fileprivate let application: Application
        func use(_ handler: any LifecycleHandler) { application.handlers.withLock { $0.append(handler) } }
    }

    func shutdown() async {
        for handler in handlers.withLock({ $0 }).reversed() { await handler.shutdownAsync(self) }
    }

    /// Answers a request through middleware.
    func respond(
        to request: Request,
        through middleware: some AsyncMiddleware,
        handler: @escaping @Sendable (Request) async throws -> Response
    ) async throws -> Response {
        try await middleware.respond(to: request, chainingTo: Route(handler: handler))
    }

    private struct Route: AsyncResponder {
        let handler: @Sendable (Request) async throws -> Response
        func respond(to request: Request) async throws -> Response { try await handler(request) }
    }
}

nonisolated protocol LifecycleHandler: Sendable {
    func shutdownAsync(_ application: Application) async
}

nonisolated final class Request: Sendable {
    let application: Application
    let id: String
    let user: String?

    init(_ application: Application, id: String, user: String? = nil) {
        (self.application, self.id, self.user) = (application, id, user)
    }
}

nonisolated struct Response: Equatable, Sendable { var body: String }

nonisolated protocol AsyncResponder: Sendable {
    func respond(to request: Request) async throws -> Response
}

nonisolated protocol AsyncMiddleware: Sendable {
    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response
}

/// Calls back on a thread of its own, as an event loop does.
nonisolated struct EventLoopFuture<Value: Sendable>: Sendable {
    let value: Value

    func map<Result: Sendable>(_ callback: @escaping @Sendable (Value) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: callback(value)) }
        }
    }
}
