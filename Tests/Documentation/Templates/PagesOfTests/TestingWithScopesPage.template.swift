import Foundation
import ScopedInjection
import ScopedInjectionTesting
import ScopedInjectionValues
import Testing

struct Carts: Sendable {
    @Injected(\.clock) var clock
    @Injected(\.now) var now

    func closeIdle(after time: Duration) async throws -> Date {
        try await clock.sleep(for: time)
        return now()
    }
}

func retry(times: Int, every time: Duration) async throws {
    for _ in 1..<times { try await EnvironmentScope.current.clock.sleep(for: time) }
}

@Suite("Documentation: time, identifiers and chance", .scope(strictness: .failures))
struct ControlledPage {
    // ⟨TestClock.swift: @Test func closesIdleCarts⟩

    // ⟨ImmediateClock.swift: @Test func triesThreeTimes⟩
}

// The examples in the comments of ScopedInjectionValues.

extension ScopeValues { static var newID: ScopeValue<@Sendable () -> UUID> { .value({ UUID() }) } }

// ⟨ScopeValues+Ready.swift: struct Receipt⟩

// ⟨ScopeValues+Ready.swift: struct Orders⟩

// ⟨ScopeValues+Ready.swift: struct Retries⟩

// ⟨ScopeValues+Ready.swift: struct Dice⟩

@Suite("Documentation: values that are ready", .scope())
struct ReadyPage {
    @Test("What reads them needs no value of the test's own")
    func ready() async throws {
        #expect(Receipt().title().hasPrefix("Bought on 2001-01-01"))
        #expect(Orders().begin() == TestIDs.id(1))
        try await Retries().pause()
        #expect((1...6).contains(Dice().roll()))
        // ⟨RandomNumbers.swift: var numbers⟩
        #expect((1...6).contains(number))
    }

    @Test(
        "A series of identifiers can be set",
        .scope {
            // ⟨TestIDs.swift: $0.newID⟩
        }
    )
    func identifiers() { #expect(EnvironmentScope.current.newID() == TestIDs.id(1)) }
}
