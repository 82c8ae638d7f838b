import Dispatch
import Foundation
import ScopedInjection

/// The threads that cases run on, apart from those of all other tasks: twice as many as there are cores, and another one
/// for each that is lost.
///
/// Dispatch has no more threads than that for all tasks and concurrent queues together, and those that wait count. The
/// ones here are of serial queues, each of which has a thread of its own.
final class CaseThreads: TaskExecutor {
    static let shared = CaseThreads()
    private static let mark = DispatchSpecificKey<Bool>()
    private static let limit = 2 * ProcessInfo.processInfo.activeProcessorCount
    /// Dispatch has 255 threads for all serial queues.
    private static let lossLimit = 128

    private let state = Guarded(State())

    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        var threads = 0
        var losses = 0

        /// Whether another thread is to be started, which then counts.
        mutating func startsThread() -> Bool {
            guard !jobs.isEmpty, threads < CaseThreads.limit else { return false }
            threads += 1
            return true
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let starts = state.withLock { state in
            state.jobs.append(job)
            return state.startsThread()
        }
        if starts { startThread() }
    }

    /// Whether the calling thread is one of them that may be lost.
    var canLoseThis: Bool {
        DispatchQueue.getSpecific(key: Self.mark) == true && state.withLock { $0.losses < Self.lossLimit }
    }

    /// Keeps the calling thread, which is one of them, until the process ends.
    func loseThis() -> Never {
        let starts = state.withLock { state in
            state.threads -= 1
            state.losses += 1
            return state.startsThread()
        }
        if starts { startThread() }
        while true { DispatchSemaphore(value: 0).wait() }
    }

    private func startThread() {
        let queue = DispatchQueue(label: "test cases")
        queue.setSpecific(key: Self.mark, value: true)
        queue.async {
            while let job = self.nextJob() { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// The job that waits longest; nil if there is none, and then the calling thread ends.
    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard state.jobs.isEmpty else { return state.jobs.removeFirst() }
            state.threads -= 1
            return nil
        }
    }
}
