import ScopedInjection
import Testing

@Suite("R6: a deferred value whose run waits for itself is an error", .programRoots)
struct DeferredCycleTests {
    /// Deferred values that may await each other.
    private final class Ring: Sendable {
        let values = Box<[Deferred<Int>]>([])
        subscript(_ index: Int) -> Deferred<Int> { values.value[index] }
    }

    private let ring = Ring()

    private func fill(_ makes: (@Sendable () async throws -> Int)...) {
        ring.values.value = makes.map { Deferred(fileID: "Shop/Pools.swift", line: 7, $0) }
    }

    @Test("In a run that awaits its own value, with a text that says where it stands") func itself() async throws {
        defer { ring.values.value = [] }
        fill { [ring] in try await ring[0]() }
        let error = await #expect(throws: ScopeError.self) { try await ring[0]() }
        #expect(error?.code == .cycle)
        let name = "the Deferred<Int> at Shop/Pools.swift:7"
        let text = """
            A cycle: \(name) waits for itself: \(name) → \(name).
              To fix it: await none of these values in what makes them; a task that starts there and needs one has to be \
            detached.
            """
        #expect(error?.description == text)
    }

    @Test("In a child task of a run") func childTask() async throws {
        defer { ring.values.value = [] }
        fill { [ring] in
            async let number = ring[0]()
            return try await number
        }
        let error = await #expect(throws: ScopeError.self) { try await ring[0]() }
        #expect(error?.code == .cycle)
    }

    @Test("Through other runs", arguments: [2, 3, 50]) func others(count: Int) async throws {
        defer { ring.values.value = [] }
        ring.values.value = (0..<count).map { [ring] index in Deferred { try await ring[(index + 1) % count]() } }
        let error = await #expect(throws: ScopeError.self) { try await ring[0]() }
        #expect(error?.code == .cycle && error?.path.count == count + 1)
    }

    @Test("Through runs that other tasks have started: each gets the error, and none hangs")
    func crossed() async throws {
        defer { ring.values.value = [] }
        let both = Meeting()
        fill(
            { [ring] in
                both.meet()
                return try await ring[1]()
            },
            { [ring] in
                both.meet()
                return try await ring[0]()
            }
        )
        for _ in 0..<50 {
            async let first = ring[0]()
            async let second = ring[1]()
            var codes: [ScopeError.Code] = []
            do { _ = try await first } catch let error as ScopeError { codes.append(error.code) }
            do { _ = try await second } catch let error as ScopeError { codes.append(error.code) }
            #expect(codes == [.cycle, .cycle])
        }
    }

    @Test("Not if runs only wait for the same one, and not after an error that was caught")
    func shared() async throws {
        defer { ring.values.value = [] }
        fill(
            { [ring] in try await ring[2]() + ring[1]() },
            { [ring] in
                // A circle whose error the run catches.
                let other = (try? await ring[0]()) ?? 10
                return try await ring[2]() + other
            },
            { 1 }
        )
        #expect(try await ring[0]() == 12)
        #expect(try await ring[1]() == 11)
    }

    @Test("Not in a detached task that a run starts, nor once the run is over") func later() async throws {
        defer { ring.values.value = [] }
        let tasks = Box<[Task<Int, any Error>]>([])
        let isOver = Barrier()
        fill { [ring] in
            tasks.update {
                $0.append(Task.detached { try await ring[0]() })
                $0.append(
                    Task {
                        await isOver.pass()
                        return try await ring[0]()
                    }
                )
            }
            return 1
        }
        #expect(try await ring[0]() == 1)
        isOver.open()
        for task in tasks.value { #expect(try await task.value == 1) }
    }
}
