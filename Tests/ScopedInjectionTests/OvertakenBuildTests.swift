import ScopedInjection
import Testing

@Suite("R2: changes that overtake a build")
struct OvertakenBuildTests {
    private let here = EnvironmentScope.empty("here", parent: nil)
    private let there = EnvironmentScope("there", parent: nil) { $0.port = 2 }
    private let request: EnvironmentScope

    init() { request = .empty("request", parent: here) }

    @Test("What a build was given by one that is out of date is not kept")
    func takenFromOutdatedBuild() {
        struct Failure: Error {}
        let (request, here, there) = (request, here, there)
        let moves = Box(0)
        // On another thread, since a builder's own changes are another matter.
        @Sendable func move(to parent: EnvironmentScope, ifFirst step: Int) {
            guard moves.value == step else { return }
            moves.value += 1
            onThread { request.parent = parent }.wait()
        }
        here.provide(HostKey.self) { _ in throw Failure() }
        request.provide(InnerKey.self) { scope in
            move(to: here, ifFirst: 1)
            return try scope.value(for: HostKey.self)
        }
        request.provide(MiddleKey.self) { scope in
            let inner = (try? scope.value(for: InnerKey.self)) ?? "none"
            move(to: there, ifFirst: 2)
            return inner
        }
        request.provide(OuterKey.self) { scope in
            move(to: there, ifFirst: 0)
            return try "\(scope.port), \(scope.value(for: MiddleKey.self))"
        }
        #expect(request[OuterKey.self] == "2, localhost")
        #expect(moves.value == 3)
    }

    @Test("A cycle that a set has broken before it was reported is none")
    func brokenCycle() throws {
        let here = here
        here.provide(InnerKey.self) { [weak here] scope in
            do {
                return try scope.value(for: OuterKey.self)
            } catch {
                onThread { [weak here] in here?[InnerKey.self] = "set" }.wait()
                throw error
            }
        }
        here.provide(OuterKey.self) { scope in try "outer \(scope.value(for: InnerKey.self))" }
        #expect(try here.value(for: OuterKey.self) == "outer set")
    }

    @Test("A build that needs one which changes its own input ends as soon as that one does")
    func changedByInnerBuild() {
        let builds = Box(0)
        here.provide(InnerKey.self) { [weak here] scope in
            builds.value += 1
            let port = scope.port
            here?.port = port + 1
            return "\(port)"
        }
        here.provide(OuterKey.self) { scope in "outer \(scope[InnerKey.self])" }
        #expect(here[OuterKey.self] == "outer 8080")
        #expect(builds.value == 1)
    }
}

private enum OuterKey: ScopeKey { static let defaultValue = "" }
private enum MiddleKey: ScopeKey { static let defaultValue = "" }
private enum InnerKey: ScopeKey { static let defaultValue = "" }
