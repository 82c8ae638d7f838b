import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import ScopedInjection

/// Answers every error with its status and a JSON body that gives the reason.
struct ErrorMiddleware: RouterMiddleware {
    @Injected(\.logger) private var logger
    @Injected(\.requestID?.rawValue) private var requestID

    func handle(
        _ request: Request,
        context: NotesRequestContext,
        next: @concurrent (Request, NotesRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            // The rest of the body is not HTTP: there is no request left to answer, Hummingbird closes the connection.
            throw error
        } catch {
            let response = try httpError(for: error, context: context).response(from: request, context: context)
            // A client takes what follows the head of an answer to HEAD for the next answer.
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    /// The error as the caller gets to see it.
    private func httpError(for error: any Error, context: NotesRequestContext) -> HTTPError {
        // What a builder or a deferred value threw is inside of a `ScopeError`.
        let cause = (error as? ScopeError)?.underlyingError ?? error
        switch cause {
        case let error as HTTPError:
            return HTTPError(error.status, headers: error.headers, message: error.body ?? error.status.reasonPhrase)
        case is NIOTooManyBytesError:
            return HTTPError(
                .contentTooLarge,
                message: "The body must not be larger than \(context.maxUploadSize) bytes."
            )
        // It came when its tenant was being evicted: the next one finds another scope.
        case let error as ScopeError where error.code == .closed:
            return HTTPError(.serviceUnavailable, message: "The server was closing what the request needs: ask again.")
        // Whatever is cancelled under way may say so in its own words.
        case let error where error is CancellationError || Task.isCancelled:
            return HTTPError(.serviceUnavailable, message: "The request took too long, or the server is stopping.")
        default:
            // What went wrong inside is for the log; the caller is told under which id to look.
            logger.error("request failed", metadata: ["error": "\(error)"])
            return HTTPError(
                .internalServerError,
                message: "The server failed to answer request \(requestID ?? "without an id")."
            )
        }
    }
}
