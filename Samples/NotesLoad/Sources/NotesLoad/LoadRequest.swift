import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// One request of the load check, and its answer.
struct LoadRequest: Sendable {
    let client: Client
    let number: Int
    let requestID: String
    private(set) var request: HTTPClientRequest

    /// - Parameters:
    ///   - number: What tells this request from all others.
    ///   - token: What to authenticate with in place of the client's token.
    init(
        _ method: HTTPMethod,
        _ url: String,
        as client: Client,
        number: Int,
        token: String? = nil,
        body: some Encodable = [String]()
    ) throws {
        self.client = client
        self.number = number
        requestID = "\(client.tenant).\(client.user).\(number)"
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer \(token ?? client.token)")
        request.headers.add(name: "X-Request-ID", value: requestID)
        request.headers.add(name: "traceparent", value: Self.traceParent(ofRequestID: requestID))
        if method == .POST { request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(body))) }
        self.request = request
    }

    /// A request of which the client never sends the end.
    init(unfinishedTo url: String, as client: Client) throws {
        try self.init(.POST, url, as: client, number: 0)
        let begin = AsyncStream { $0.yield(ByteBuffer(string: #"{"text": "#)) }
        request.body = .stream(begin, length: .unknown)
    }

    /// The trace that a request is part of.
    ///
    /// It is made from the request's number, so that it can be checked.
    static func traceParent(ofRequestID requestID: String) -> String {
        let number = requestID.split(separator: ".").last.flatMap { UInt64($0) } ?? 0
        let digits = String(number, radix: 16)
        let padded = { (length: Int) in String(repeating: "0", count: length - digits.count) + digits }
        return "00-\(padded(32))-\(padded(16))-01"
    }

    /// Sends the request; nil where there is no whole answer.
    ///
    /// - Parameter patience: How long the client waits before it goes away; nil if it waits for the answer.
    func send(with http: HTTPClient, patience: Duration? = nil) async -> LoadAnswer? {
        let sending = Task { () -> LoadAnswer in
            let response = try await http.execute(request, timeout: .seconds(300))
            let body = try await response.body.collect(upTo: 16 * 1024 * 1024)
            return LoadAnswer(
                status: Int(response.status.code),
                headers: response.headers,
                body: Data(body.readableBytesView)
            )
        }
        guard let patience else { return try? await sending.value }
        try? await Task.sleep(for: patience)
        sending.cancel()
        return try? await sending.value
    }
}

/// What the server answered.
struct LoadAnswer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: Data

    /// The notes in a body with a line of JSON for each; nil where a line is none.
    var lines: [AnsweredNote]? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try? body.split(separator: UInt8(ascii: "\n")).map { try decoder.decode(AnsweredNote.self, from: $0) }
    }

    /// The notes in the body, one or several; nil where there are none.
    var notes: [AnsweredNote]? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return (try? decoder.decode(AnsweredNote.self, from: body)).map { [$0] }
            ?? (try? decoder.decode([AnsweredNote].self, from: body))
    }
}
