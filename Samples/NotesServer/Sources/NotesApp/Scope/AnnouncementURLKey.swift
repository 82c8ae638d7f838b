import Foundation
package import ScopedInjection

/// Where new notes are announced; nil where nobody wants to know.
package enum AnnouncementURLKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> String? {
        try scope.value(for: ConfigurationKey.self)
            .setting(["announcement", "url"], mustBe: "the URL of a service") { text in
                URL(string: text).flatMap { ["http", "https"].contains($0.scheme) && $0.host != nil ? text : nil }
            }
    }
}

extension EnvironmentScope {
    /// Where new notes are announced; nil where nobody wants to know.
    package var announcementURL: String? {
        get { self[AnnouncementURLKey.self] }
        set { self[AnnouncementURLKey.self] = newValue }
    }
}
