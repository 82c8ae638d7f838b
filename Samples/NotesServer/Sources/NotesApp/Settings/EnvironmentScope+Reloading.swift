import Logging
package import ScopedInjection

extension EnvironmentScope {
    /// Reads the settings of this scope, which is the application's, again: all of them count from now on, or none.
    ///
    /// What is wrong is logged. Requests see the new settings at their next read; what they have begun stays, and so does all that
    /// was built from settings which are what they were.
    package func reloadSettings() async {
        do {
            let settings = try value(for: \.settings)
            try await reload { $0.take(settings) }
            self.logger.notice("settings read again")
        } catch {
            self.logger.error(
                "settings not changed",
                metadata: ["reasons": "\(error.rootReasons.joined(separator: " "))"]
            )
        }
    }
}
