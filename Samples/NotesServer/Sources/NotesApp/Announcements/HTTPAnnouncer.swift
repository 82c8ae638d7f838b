import AsyncHTTPClient
import Foundation
import HTTPTypes
import Instrumentation
import NIOCore
import NIOHTTP1
import ScopedInjection

/// Tells another service over HTTP, under the id and the trace of the request that created the note.
///
/// This is how the context of a request crosses to another service: in headers, and nothing else. Whatever the other
/// service needs to know has to be in the message.
struct HTTPAnnouncer: Announcer {
    let client: HTTPClient
    let url: String
    @Injected(\.requestID) private var requestID
    @Injected(\.tenant) private var tenant
    @Injected(\.instrument) private var instrument
    @Injected(\.serviceContext) private var serviceContext

    func announce(_ note: Note) async throws {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        if let requestID { request.headers.add(name: HTTPField.Name.requestID.rawName, value: requestID.rawValue) }
        instrument.inject(serviceContext, into: &request.headers, using: HTTPHeadersInjector())
        let announcement = Announcement(note: note.id, user: note.user, tenant: tenant.name)
        request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(announcement)))
        let response = try await client.execute(request, timeout: .seconds(10))
        guard (200..<300).contains(response.status.code) else {
            throw AnnouncementRefused(status: Int(response.status.code))
        }
    }
}

/// What the other service is told.
package struct Announcement: Codable, Sendable {
    package let note: Int64
    package let user: String
    package let tenant: String
}

/// Says that the other service took no note.
struct AnnouncementRefused: Error, CustomStringConvertible {
    let status: Int

    var description: String { "The announcement was answered with status \(status)." }
}

private struct HTTPHeadersInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPHeaders) {
        carrier.replaceOrAdd(name: key, value: value)
    }
}
