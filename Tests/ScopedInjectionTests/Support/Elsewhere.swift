import Dispatch
import Foundation
import Testing

/// A place where code runs outside the body of the entered scope.
enum Elsewhere: CaseIterable, CustomTestStringConvertible {
    case detachedTask, queue, concurrentQueue, thread

    var testDescription: String {
        switch self {
        case .detachedTask: "a detached task"
        case .queue: "a serial queue"
        case .concurrentQueue: "a global queue"
        case .thread: "a thread"
        }
    }

    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        switch self {
        case .detachedTask:
            await Task.detached { body() }.value
        case .queue:
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "elsewhere").async { continuation.resume(returning: body()) }
            }
        case .concurrentQueue:
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: body()) }
            }
        case .thread:
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: body()) }
            }
        }
    }
}
