import Dispatch
import Foundation
import ScopedInjection

/// The threads that test cases run on, and no other tasks.
///
/// There are twice as many as cores, and one more for each that is lost. They belong to serial queues, each of which
/// has a thread of its own. The threads that Dispatch has for all tasks and concurrent queues together are no more than
/// that, and one that waits counts.
final class CaseThreads: TaskExecutor {
    static let shared = CaseThreads()
    private static let mark = DispatchSpecificKey<Bool>()
    private static let limit = 2 * ProcessInfo.processInfo.activeProcessorCount
    /// Well below the 255 threads that Dispatch has for all serial queues.
    private static let lossLimit = 128

    private let state = Guarded(State())

    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        var threads = 0
        var losses = 0

        /// Whether the caller has to start another thread, which is counted here.
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

    /// Whether the calling thread is one of these, and may be lost.
    var canLoseThis: Bool {
        DispatchQueue.getSpecific(key: Self.mark) == true && state.withLock { $0.losses < Self.lossLimit }
    }

    /// Makes the calling thread, which is one of these, wait until the process ends.
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

    /// The job that has waited longest.
    ///
    /// Nil if there is none: then the calling thread ends.
    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            guard state.jobs.isEmpty else { return state.jobs.removeFirst() }
            state.threads -= 1
            return nil
        }
    }
}
