import Foundation
import Hummingbird

extension Note: ResponseEncodable {
    /// The note as a server-sent event.
    var event: String {
        get throws { "data: \(String(decoding: try JSONEncoder.notes.encode(self), as: UTF8.self))\n\n" }
    }
}
