import Synchronization
import Testing

@testable import Harness

@Suite("A crowd is done when all are")
struct CrowdTests {
    @Test("Each does its part, once")
    func parts() {
        let numbers = Mutex<[Int]>([])
        Crowd.run(10) { number in numbers.withLock { $0.append(number) } }
        #expect(numbers.withLock { $0.sorted() } == Array(0..<10))
    }

    @Test("All are there at the same time")
    func together() {
        let arrived = Atomic(0)
        Crowd.run(8) { _ in
            arrived.wrappingAdd(1, ordering: .sequentiallyConsistent)
            while arrived.load(ordering: .sequentiallyConsistent) < 8 {}
        }
        #expect(arrived.load(ordering: .sequentiallyConsistent) == 8)
    }

    @Test("Something long is done three times, each with what was prepared for it")
    func repetition() {
        let prepared = Mutex(0)
        let used = Mutex<[Int]>([])
        let seconds = Repetition.seconds(
            preparing: {
                prepared.withLock {
                    $0 += 1; return $0
                }
            },
            { subject in used.withLock { $0.append(subject) } }
        )
        #expect(used.withLock { $0 } == [1, 2, 3])
        #expect(seconds >= 0)
    }
}
