package import ScopedInjection

/// Tells another service of new notes.
package enum AnnouncerKey: ScopeKey {
    package static func makeValue(in scope: EnvironmentScope) throws -> any Announcer {
        guard let url = try scope.value(for: AnnouncementURLKey.self) else { return SilentAnnouncer() }
        return HTTPAnnouncer(client: try scope.value(for: HTTPClientKey.self), url: url)
    }
}

extension EnvironmentScope {
    /// Tells another service of new notes.
    package var announcer: any Announcer {
        get { self[AnnouncerKey.self] }
        set { self[AnnouncerKey.self] = newValue }
    }
}
