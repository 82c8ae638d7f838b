package import Foundation
package import Hummingbird
import NIOCore

/// What Hummingbird itself needs to know of a request; what the handlers need is in the request's scope.
package struct NotesRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The connection that the request came over.
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        channel = source.channel
        coreContext = CoreRequestContextStorage(source: source)
    }

    /// The size of the largest body that is read: 64 KiB.
    static let maxBodySize = 64 * 1024

    package var maxUploadSize: Int { Self.maxBodySize }

    package var responseEncoder: JSONEncoder { .notes }
}

extension JSONEncoder {
    /// Writes the fields of an answer in the same order every time.
    static var notes: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
