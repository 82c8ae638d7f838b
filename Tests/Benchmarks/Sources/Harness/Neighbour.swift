internal import Dispatch
internal import Foundation
internal import Synchronization

/// What an operation takes while another thread is busy, against alone.
public struct Neighbour: Sendable {
    /// The median of the groups of rounds.
    public let ratio: Double

    /// - Parameters:
    ///   - groups: What the operation took in each group: alone, beside what shares nothing with it, and beside the subject.
    /// - Returns: Nil where too few groups count: then other programs had the cores.
    init?(_ groups: [(alone: Double, besidePlain: Double, besideSubject: Double)]) {
        let counted = groups.filter { $0.besidePlain <= 1.15 * $0.alone }
        guard counted.count >= 5 else { return nil }
        ratio = median(counted.map { $0.besideSubject / $0.alone })
    }

    /// Measures an operation alone, beside a thread that does something plain, and beside one that does what is asked about.
    public init?(of operation: Operation, beside subject: Operation, plain: Operation, _ effort: Effort) {
        let clock = ContinuousClock()
        let count = operation.count(for: effort.batch, clock)
        let counts = [plain, subject].map { $0.count(for: effort.batch, clock) }
        func rounds() -> Double {
            median((0..<effort.threadRounds).map { _ in operation.nanoseconds(count, clock) })
        }
        self.init(
            (0..<effort.threadGroups).map { _ in
                let alone = rounds()
                let besidePlain = Busy.run(plain, counts[0], rounds)
                return (alone, besidePlain, Busy.run(subject, counts[1], rounds))
            }
        )
    }
}

/// A thread that does an operation over and over.
private final class Busy: Sendable {
    private let hasBegun = Atomic(false)
    private let isOver = Atomic(false)

    /// Runs code while the thread is at work.
    static func run(_ operation: Operation, _ count: Int, _ body: () -> Double) -> Double {
        let (busy, isDone) = (Busy(), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            while !busy.isOver.load(ordering: .acquiring) {
                operation.run(count)
                busy.hasBegun.store(true, ordering: .releasing)
            }
            isDone.signal()
        }
        while !busy.hasBegun.load(ordering: .acquiring) {}
        defer {
            busy.isOver.store(true, ordering: .releasing)
            isDone.wait()
        }
        return body()
    }
}
