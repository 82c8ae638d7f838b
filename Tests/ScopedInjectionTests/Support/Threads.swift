import Foundation
import ScopedInjection
import Synchronization
import Testing

/// A value that tests share between threads.
final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value>
    // On Linux the thread sanitizer does not see the order of the mutex; it sees this atomic.
    private let handover = Atomic(false)

    init(_ value: Value) { content = Mutex(value) }
    var value: Value {
        get { update { $0 } }
        set { update { $0 = newValue } }
    }
    @discardableResult
    func update<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        content.withLock { value in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(true, ordering: .releasing) }
            return body(&value)
        }
    }
}

extension Box<Int> {
    /// Counts one more, and gives how many these are.
    @discardableResult
    func next() -> Int {
        update { count in
            count += 1
            return count
        }
    }
}

/// A gate that opens once, for all threads.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait() {
        semaphore.wait()
        semaphore.signal()
    }

    /// Suspends until the gate is open: a machine with two cores has two threads for all tasks, so none may be blocked.
    func passed() async {
        await withCheckedContinuation { continuation in
            onThread {
                self.wait()
                continuation.resume()
            }
        }
    }
}

/// How long a test waits before it reports a hang; a busy machine stops a thread for many seconds.
let hangLimit = DispatchTimeInterval.seconds(300)

/// Lets two threads go on together, or after a moment the first one alone, if the other cannot come.
final class Meeting: Sendable {
    private let arrivals = Box(0)
    private let both = DispatchSemaphore(value: 0)

    func meet() {
        if arrivals.next() > 1 {
            both.signal()
        } else {
            _ = both.wait(timeout: .now() + .milliseconds(100))
        }
    }
}

/// Runs a body on a thread of its own, and returns the gate that opens when it is over.
@discardableResult
func onThread(_ body: @escaping @Sendable () -> Void) -> Gate {
    let gate = Gate()
    DispatchQueue(label: "test").async {
        body()
        gate.open()
    }
    return gate
}

/// Runs a body on a thread with a small stack.
func onSmallStack(_ size: Int, _ body: @escaping @Sendable () -> Void) {
    let isOver = Gate()
    let thread = Thread {
        body()
        isOver.open()
    }
    thread.stackSize = size
    thread.start()
    isOver.wait()
}

/// What a body gives on a thread of its own, which the caller waits for.
///
/// - Parameter isElsewhere: Whether it runs there; else it runs on this thread.
func elsewhere<Value: Sendable, Failure: Error>(
    if isElsewhere: Bool = true,
    _ body: @escaping @Sendable () throws(Failure) -> Value
) throws(Failure) -> Value {
    guard isElsewhere else { return try body() }
    let result = Box<Result<Value, Failure>?>(nil)
    onThread { result.value = Result(catching: body) }.wait()
    guard let result = result.value else { preconditionFailure("The body has run.") }
    return try result.get()
}

/// Runs a body on many threads at once, and suspends until all are done, so that other tests use this thread meanwhile.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let start = Gate()
    let gates = (0..<count).map { index in
        onThread {
            start.wait()
            body(index)
        }
    }
    start.open()
    await withCheckedContinuation { continuation in
        onThread {
            for gate in gates { gate.wait() }
            continuation.resume()
        }
    }
}

/// Waits on this thread, which is none of tasks, for asynchronous code.
func waitFor(_ body: @escaping @Sendable () async -> Void) {
    let isOver = Gate()
    Task.detached {
        await body()
        isOver.open()
    }
    isOver.wait()
}

/// Calls a function the first time only.
func once(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let rest = Box<(@Sendable () -> Void)?>(body)
    return { rest.update { $0.take() }?() }
}

/// Starts a task that runs on this thread until it first waits, where the system can do that.
func startAtOnce(_ body: nonisolated(nonsending) @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return Task.immediate { await body() } }
    return Task { await body() }
}

/// What a read gives while other threads set what it is built from; nil where that has changed in each of its few runs.
func givenDespiteChanges<Value>(_ read: () throws -> Value) -> Value? {
    do { return try read() } catch {
        let isRestless = "\(error)".contains("has changed each time while it was built")
        if !isRestless { Issue.record(error) }
        return nil
    }
}
