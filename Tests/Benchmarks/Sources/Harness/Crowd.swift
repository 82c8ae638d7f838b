internal import Dispatch
internal import Foundation

/// Threads that do something at the same time, as requests do.
public enum Crowd {
    /// Has each of `count` new threads do its part, and returns when all have.
    public static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let finished = DispatchGroup()
        for number in 0..<count {
            finished.enter()
            Thread.detachNewThread {
                body(number)
                finished.leave()
            }
        }
        finished.wait()
    }
}
