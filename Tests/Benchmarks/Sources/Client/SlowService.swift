internal import BlackHole
internal import Foundation
public import ScopedInjection

/// A service that takes long to build, and looks at the request only when most of that is done.
public enum SlowService {
    /// How long it works before it reads something of the request, in seconds.
    public static let seconds = 0.05

    /// Makes a request scope and reads the service in it.
    public static func serve(_ number: Int, under parent: EnvironmentScope) {
        let request = EnvironmentScope("request", parent: parent) { $0.requestID = number }
        request { blackHole(request.slowService.number) }
    }
}

extension ScopeValues {
    fileprivate static var slowService: ScopeValue<Service> {
        .lazy { reader in
            let port = try reader.port
            Thread.sleep(forTimeInterval: SlowService.seconds)
            return try Service(number: port &+ reader.requestID)
        }
    }
}
