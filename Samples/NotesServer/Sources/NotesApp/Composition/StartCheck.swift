package import ScopedInjection

extension EnvironmentScope {
    /// Checks that this scope can be an application's: every setting, and for every tenant what its first request would need.
    ///
    /// - Throws: ``StartError`` with everything that is wrong
    package func checkAtStart() async throws(StartError) {
        var reasons: [String] = []
        // Read once more, because where they are wrong none is set.
        do { _ = try value(for: \.settings) } catch { throw StartError(reasons: error.rootReasons) }
        do {
            try await prepare(
                \.hostname,
                \.port,
                \.logger,
                \.requestTimeout,
                \.retention,
                \.announcer,
                \.backgroundWork,
                \.tenants,
                \.databaseFolder,
                within: .seconds(30)
            )
        } catch {
            reasons += error.rootReasons
        }
        for tenant in (try? value(for: \.tenants))?.all ?? [] {
            do {
                try await tenant.validateChild("request", role: .request, of: NoteHandlers(), HealthHandler()) {
                    if let user = User(name: "example") { $0.user = user }
                }
            } catch {
                reasons += error.rootReasons
            }
        }
        var known: Set<String> = []
        reasons = reasons.filter { known.insert($0).inserted }
        guard reasons.isEmpty else { throw StartError(reasons: reasons) }
    }
}

/// Says everything that keeps the server from starting.
package struct StartError: Error, CustomStringConvertible {
    package let reasons: [String]

    package var description: String {
        "The server cannot start:\n" + reasons.map { "- \($0)" }.joined(separator: "\n")
    }
}

extension Error {
    /// What went wrong in the first place; by way of which values it came here is of no use to who runs the server.
    var rootReasons: [String] {
        if let error = self as? SettingErrors { return error.problems.map(\.description) }
        guard let error = self as? ScopeError else { return ["\(self)"] }
        if !error.failures.isEmpty { return error.failures.flatMap(\.rootReasons) }
        return error.underlyingError?.rootReasons ?? [error.description]
    }
}
