import Foundation
import ScopedInjection
import ScopedInjectionTesting
import Testing

// ⟨ScopedInjectionTesting.md: @Test⟩

// ⟨TestingWithScopes.md: @Suite⟩

extension ScopeValues {
    static var clock: ScopeValue<any Clock<Duration>> { .value(ContinuousClock()) }
    static var now: ScopeValue<@Sendable () -> Date> { .value({ Date() }) }
    static var newID: ScopeValue<@Sendable () -> UUID> { .value({ UUID() }) }
    static var randomNumbers: ScopeValue<any RandomNumberGenerator & Sendable> {
        .value(SystemRandomNumberGenerator())
    }
}

// ⟨TestingWithScopes.md: static var controlled⟩

struct Carts: Sendable {
    @Injected(\.clock) var clock
    @Injected(\.now) var now

    func closeIdle(after time: Duration) async throws -> Date {
        try await clock.sleep(for: time)
        return now()
    }
}

@Suite("Documentation: time, identifiers and chance", .scope(strictness: .failures), .controlled)
struct ControlledPage {
    // ⟨TestClock.swift: @Test func closesIdleCarts⟩

    @Test("The clock of the trait tells the time, and no other")
    func clock() async throws {
        let (clock, now) = (EnvironmentScope.current.clock as? TestClock, EnvironmentScope.current.now)
        let begin = now()
        clock?.advance(by: .seconds(60))
        #expect(now() == begin.addingTimeInterval(60))
    }

    @Test("Identifiers are counted, and random numbers are the same in each run")
    func controlled() { expectNumbers() }

    @Test(
        "Each of them can be set by itself",
        .scope {
            // ⟨TestValues.swift: $0.newID⟩
            // ⟨TestValues.swift: $0.randomNumbers⟩
        }
    )
    func byItself() { expectNumbers() }

    private func expectNumbers() {
        let newID = EnvironmentScope.current.newID
        #expect(newID().uuidString == "00000000-0000-0000-0000-000000000001")
        #expect(newID() == TestIDs.id(2))
        for _ in 0..<2 {
            var numbers = EnvironmentScope.current.randomNumbers
            #expect(numbers.next() == 10_451_216_379_200_822_465)
        }
    }
}
