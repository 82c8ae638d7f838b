import Dependencies
import DependenciesTestSupport
import Foundation
import ScopedInjection
import Testing

// What the folders once did otherwise than swift-dependencies.

nonisolated private enum Made { static let count = LockIsolated(0) }

nonisolated private struct Pool: Sendable, DependencyKey {
    let host: String

    static var liveValue: Pool {
        @Dependency(\.host) var host
        Made.count.withValue { $0 += 1 }
        return Pool(host: host)
    }
}

nonisolated private enum HostKey: DependencyKey {
    static let liveValue = "live"
    static let testValue = "not overridden"
}

nonisolated extension DependencyValues {
    fileprivate var host: String {
        get { self[HostKey.self] }
        set { self[HostKey.self] = newValue }
    }
}

nonisolated private final class Model {
    @Dependency(\.uuid) private var uuid
    func child() -> Model { withDependencies(from: self) { Model() } }
    func childOfATask() async -> Model {
        await withDependencies(from: self) {
            await Task.yield()
            return Model()
        }
    }
    func id() -> UUID { uuid() }
}

nonisolated private struct Unavailable: Error {}

@Suite("What the folders do as swift-dependencies does")
struct OnceTests {
    @Test func aLiveValueIsMadeOnceWhateverARequestOverrides() {
        // As a program runs, which no test's values reach.
        EnvironmentScope.empty("app", parent: nil, defaults: .allowed)() {
            for number in 1...3 {
                withDependencies {
                    $0.host = "\(number)"
                } operation: {
                    @Dependency(Pool.self) var pool
                    #expect(pool.host == "not overridden")
                }
            }
        }
        #expect(Made.count.value == 1)
    }

    @Test(.dependency(\.uuid, .constant(UUID(7))))
    func aModelIsMadeWithTheDependenciesOfAnother() async {
        #expect(Model().child().id() == UUID(7))
        #expect(await Model().childOfATask().id() == UUID(7))
    }

    @Test func prepareGivesAResult() async {
        let box = withDependencies {
            $0.uuid = .constant(UUID(1))
        } operation: {
            prepareDependencies {
                $0.uuid = .constant(UUID(2))
                return $0.uuid()
            }
        }
        #expect(box == UUID(2))
    }

    @Test(.dependencies) func sleepsOnAnImmediateClock() async throws {
        let clock = ImmediateClock()
        try await withDependencies {
            $0.continuousClock = clock
        } operation: {
            @Dependency(\.continuousClock) var clock
            try await clock.sleep(for: .seconds(60))
        }
        #expect(clock.now.offset == .seconds(60))
    }
}

@Suite(.dependency(\.uuid, .incrementing))
struct EachCaseTests {
    @Test(arguments: 0..<2) func aTraitsValueIsMadeForEachCase(_ number: Int) {
        @Dependency(\.uuid) var uuid
        #expect(uuid() == UUID(0))
    }

    @Test func aTraitsValueIsMadeForEachTest() {
        @Dependency(\.uuid) var uuid
        #expect(uuid() == UUID(0))
    }

    @Test(
        .dependencies {
            await Task.yield()
            $0.uuid = .constant(try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000005")))
        }
    )
    func aTraitMayThrowAndAwait() {
        @Dependency(\.uuid) var uuid
        #expect(uuid() == UUID(5))
    }
}
