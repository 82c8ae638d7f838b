import Foundation
import ScopedInjection
package import ScopedInjectionTesting

/// What a test of a service forgets, and what tells it; run in Swift Testing and in XCTest, one in each process.
package struct Forgetting: Sendable {
    /// What the test is told, the same in both.
    package enum Told: String, Sendable { case failure, warning, nothing }

    package let name: String
    package let told: Told
    /// What the test has for a scope; nil for none.
    package let trait: ScopeTrait?
    package let run: @Sendable () async throws -> Void

    init(
        _ name: String,
        _ told: Told,
        _ trait: ScopeTrait? = .service,
        _ run: @escaping @Sendable () async throws -> Void
    ) {
        (self.name, self.told, self.trait, self.run) = (name, told, trait, run)
    }

    /// The one that the process is to run, by its environment.
    package static let chosen = all.first { $0.name == ProcessInfo.processInfo.environment["FORGETTING"] }

    /// Where an XCTest reads before its test, if the process is to do that.
    package static let earlyPlace = ProcessInfo.processInfo.environment["EARLY"]

    package static let all = values + errors + places + writes + ends + shapes
}

extension ScopeTrait {
    static var service: ScopeTrait {
        .scope {
            $0.path = "test.db"
            $0.user = "Ada"
        }
    }
}
