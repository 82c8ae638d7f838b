import Foundation

/// Tells one request from another in the log and in the answers.
package struct RequestID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    /// An id unlike any other.
    package init() {
        rawValue = UUID().uuidString.lowercased()
    }

    /// An id that a caller chose; nil for one that could not stand on a line of the log as it is.
    package init?(rawValue: String) {
        guard rawValue.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil else { return nil }
        self.rawValue = rawValue
    }

    package var description: String { rawValue }
}
