package import Logging
import ScopedInjection

extension Logger.MetadataProvider {
    /// Gives each line the id of the request that it belongs to, also where a library or a builder writes it.
    package static let requestID = Logger.MetadataProvider {
        guard let id = EnvironmentScope.forLogging.requestIDIfAny else { return [:] }
        return ["request-id": "\(id)"]
    }
}
