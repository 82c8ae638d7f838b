import Foundation
import Hummingbird
import ScopedInjection
import Synchronization

// 1. Values: one line each, in one place. Defaults that harm no test say so.
extension ScopeValues {
    static var greeting: ScopeValue<String> { .value("Hello", isSafeInTests: true) }
    static var greeter: ScopeValue<Greeter> { .lazy(isSafeInTests: true) { try Greeter(greeting: $0.greeting) } }
    static var port: ScopeValue<Int> { .lazy(isSafeInTests: true) { _ in try listeningPort(in: Environment()) } }
    static var user: ScopeValue<String?> { .optional() }  // nil until a request sets it
}

/// Greets whoever makes the request, and counts the greetings.
///
/// It is built from the greeting alone, so the application keeps one for all requests. The user is read at each call,
/// from the scope of the request that is being answered.
final class Greeter: Sendable {
    private let greeting: String
    private let user = Injected(\.user)
    private let count = Atomic(0)

    init(greeting: String) { self.greeting = greeting }

    func greet() -> String {
        let number = count.add(1, ordering: .relaxed).newValue
        return "\(greeting), \(user() ?? "stranger")! This is greeting \(number).\n"
    }
}

// 2. Each request runs in a scope of its own, a child of the application's.
struct RequestScopeMiddleware: RouterMiddleware {
    let applicationScope: EnvironmentScope

    func handle(
        _ request: Request,
        context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await applicationScope.withChild("request", role: .request) { scope in
                scope.user = request.uri.queryParameters.get("user")
            } operation: {
                try await next(request, context)
            }
        } catch let error as ScopeError {
            // What a builder threw, so that who answers errors by their type sees it.
            throw error.underlyingError ?? error
        }
    }
}

// 3. A handler is made once, and reads what belongs to the request that it answers.
struct GreetingHandler: Sendable {
    @Injected(\.greeter) private var greeter

    // The property would end the server where the greeter cannot be built.
    func greet(_ request: Request, context: BasicRequestContext) throws -> String { try $greeter.value().greet() }
}

// 4. The application is put together in the same way for the program and for its tests.
func makeApplication(in scope: EnvironmentScope) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: RequestScopeMiddleware(applicationScope: scope))
    router.get("greeting", use: GreetingHandler().greet)
    return Application(
        router: router,
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: scope.port))
    )
}

/// Serves until a signal ends it, and then closes the application's scope; also where it cannot serve.
func serve(configure: @Sendable (EnvironmentScope) -> Void = { _ in }) async throws {
    try await EnvironmentScope.withScope("application", role: .application) { scope in
        configure(scope)
        try await scope.prepare(\.greeter, \.port)  // what is missing is known before the first request
    } operation: { scope in
        do {
            try await makeApplication(in: scope).runService()
        } catch {
            throw CannotStart("Port \(scope.port): \(error). PORT sets another one.")
        }
    }
}

/// The port to listen on: that of `PORT`, or 8080.
func listeningPort(in environment: Environment) throws -> Int {
    guard let text = environment.get("PORT") else { return 8080 }
    guard let port = UInt16(text) else { throw CannotStart("PORT must be a number from 0 to 65535, not '\(text)'.") }
    return Int(port)
}

struct CannotStart: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

@main
struct QuickServer {
    static func main() async {
        do {
            try await serve()
        } catch {
            FileHandle.standardError.write(Data("QuickServer cannot serve. \(error)\n".utf8))
            exit(1)
        }
    }
}
