import HTTPTypes
import Hummingbird
import Instrumentation

extension Request {
    /// The id that the caller chose, or a new one where it chose none that can be used.
    var requestID: RequestID { headers[.requestID].flatMap(RequestID.init(rawValue:)) ?? RequestID() }

    /// Whether it asks for events, and so stays for as long as the client does.
    var isForEvents: Bool { method == .get && uri.path == "/notes/events" }

    /// The token that the caller authenticates with; nil where there is none.
    var bearerToken: String? {
        (headers[.authorization]?.wholeMatch(of: /[Bb]earer +([A-Za-z0-9._~+\/=-]+)/)?.output.1).map { String($0) }
    }

    /// The trace that the caller says the request is part of.
    func serviceContext(readBy instrument: any Instrument) -> ServiceContext {
        var context = ServiceContext.topLevel
        instrument.extract(headers, into: &context, using: HTTPFieldsExtractor())
        return context
    }
}

private struct HTTPFieldsExtractor: Extractor {
    func extract(key: String, from carrier: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { carrier[$0] }
    }
}
