import Foundation
import Hummingbird

/// What Hummingbird itself needs to know of a request; what the handlers need is in the request's scope.
struct NotesRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    /// The size of the largest body that is read: 64 KiB.
    static let maxBodySize = 64 * 1024

    var maxUploadSize: Int { Self.maxBodySize }

    /// Writes the fields of an answer in the same order every time.
    var responseEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
