import Foundation
import Hummingbird
import NIOCore

extension [Note] {
    /// The notes as server-sent events, or a comment where there is none, so that writing fails once the client has gone.
    var events: ByteBuffer {
        get throws { ByteBuffer(string: try map { try $0.event }.joined() + ":\n\n") }
    }
}

extension Note: ResponseEncodable {
    /// The note as a server-sent event.
    fileprivate var event: String {
        get throws { "data: \(String(decoding: try JSONEncoder.notes.encode(self), as: UTF8.self))\n\n" }
    }
}
