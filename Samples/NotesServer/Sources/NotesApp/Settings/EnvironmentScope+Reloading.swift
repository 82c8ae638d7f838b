import Logging
package import ScopedInjection

extension EnvironmentScope {
    /// Reads the settings of this scope, which is the application's, again: all of them count from now on, or none.
    ///
    /// What is wrong is logged. Requests see the new settings at their next read; what they have begun stays.
    package func reloadSettings() async {
        do {
            try await reload(rebuilding: \.configuration) { _ in }
            self.logger.notice("settings read again")
        } catch {
            self.logger.error(
                "settings not changed",
                metadata: ["reasons": "\(error.rootReasons.joined(separator: " "))"]
            )
        }
    }
}
