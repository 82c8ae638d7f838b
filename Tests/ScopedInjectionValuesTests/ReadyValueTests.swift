import Foundation
import ScopedInjection
import ScopedInjectionTesting
import ScopedInjectionValues
import Testing

extension Date {
    fileprivate static var start: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

/// Reads them all, as a service does.
private struct Service: Sendable {
    @Injected(\.now) var now
    @Injected(\.uuid) var uuid
    @Injected(\.clock) var clock
    @Injected(\.randomNumbers) private var randomNumbers

    func number() -> UInt64 { randomNumbers.next() }
}

@Suite("Values that are ready, in a test", .scope(), .timeLimit(.minutes(30)))
struct ReadyValueTests {
    private let service = Service()

    @Test("A test that sets none is told nothing, and is given the same in each run")
    func given() async throws {
        #expect(service.now() == .start)
        #expect([service.uuid(), service.uuid()] == [TestIDs.id(1), TestIDs.id(2)])
        #expect([service.number(), service.number()] == [16_294_208_416_658_607_535, 7_960_286_522_194_355_700])
        try await service.clock.sleep(for: .seconds(60))
        #expect(service.now() == .start + 60)
    }

    @Test("Each test has its own", arguments: 0..<4)
    func own(_ number: Int) async throws {
        #expect(service.uuid() == TestIDs.id(1))
        #expect(service.now() == .start)
        try await service.clock.sleep(for: .seconds(1))
    }

    @Test(
        "The date is that of the test's clock, and stays with a clock that is set later",
        .scope { $0.clock = TestClock(start: .start + 7) }
    )
    func dateOfTheClock() async throws {
        let clock = try #require(service.clock as? TestClock)
        await clock.advance(by: .seconds(1))
        #expect(service.now() == .start + 8)
        EnvironmentScope.current.clock = ImmediateClock(start: .start + 9)
        #expect(service.now() == .start + 9)
    }

    @Test("A timeout around an answer that comes at once does not time out", arguments: 0..<50)
    func timeout(_ number: Int) async {
        let answer = await withTaskGroup { [clock = service.clock] group in
            group.addTask { (try? await clock.sleep(for: .seconds(30))).map { "timed out" } ?? "cancelled" }
            group.addTask {
                for _ in 0..<2 { await Task.yield() }
                return "answered"
            }
            defer { group.cancelAll() }
            return await group.next()
        }
        #expect(answer == "answered")
    }

    @Test("With a clock of the system the date is the system's", .scope { $0.clock = ContinuousClock() })
    func dateOfTheSystem() { #expect(service.now() > .start + 86_400) }

    @Test("One line sets each of them")
    func set() {
        EnvironmentScope.current.now = { .start + 1 }
        EnvironmentScope.current.uuid = { TestIDs.id(9) }
        EnvironmentScope.current.randomNumbers = RandomNumbers { 4 }
        #expect(service.now() == .start + 1)
        #expect(service.uuid() == TestIDs.id(9))
        #expect(service.number() == 4)
    }

    @Test("Elsewhere than in tests they are those of the system")
    func live() {
        EnvironmentScope.empty("app", parent: nil, defaults: .allowed)() {
            #expect(service.now() > .start + 86_400)
            #expect(service.uuid() != service.uuid())
            #expect(service.clock is ContinuousClock)
            #expect(service.number() != service.number())
        }
    }
}

@Suite("Clocks, identifiers and random numbers of tests")
struct DoubleTests {
    @Test("A sleep on an immediate clock ends at once, and its end is the clock's moment")
    func immediate() async throws {
        let clock = ImmediateClock(start: .start + 1)
        try await clock.sleep(for: .seconds(3600))
        try await clock.sleep(until: ImmediateClock.Instant(offset: .seconds(60)))
        #expect(clock.now.offset == .seconds(3600))
        #expect(clock.date == .start + 3601)
        #expect(clock.minimumResolution == .zero)
    }

    @Test("A cancelled task does not sleep on an immediate clock, so that a loop of sleeps ends")
    func cancelled() async {
        let clock = ImmediateClock()
        let loop = Task { while true { try await clock.sleep(for: .seconds(1)) } }
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
    }

    @Test("Identifiers are counted")
    func identifiers() {
        let newID = TestIDs().next
        #expect(newID().uuidString == "00000000-0000-0000-0000-000000000001")
        #expect(newID() == TestIDs.id(2))
        #expect(TestIDs.id(0x0123_4567_89AB).uuidString == "00000000-0000-0000-0000-0123456789AB")
    }

    @Test("Random numbers of a seed are the same in each run, and copies share them")
    func randomNumbers() {
        let numbers = RandomNumbers(seed: 1)
        let copy = numbers
        #expect(numbers.next() == 10_451_216_379_200_822_465)
        #expect(copy.next() == 13_757_245_211_066_428_519)
        #expect(RandomNumbers(seed: 1).next() == 10_451_216_379_200_822_465)
    }
}
