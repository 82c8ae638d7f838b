internal import ArgumentParser
internal import Client
internal import Dispatch
internal import Foundation
internal import ScopedInjection
internal import Subjects

/// Has two threads make the same requests one after the other, for `shared-lines`, which watches what they write.
@main
struct SharedLinesCommand: ParsableCommand {
    enum Subject: String, CaseIterable, ExpressibleByArgument {
        case nothing, ownValue, ownValueBelowGlobal, ownValueWithChild, withCleanup, withPart, parentsValue, oneService
        case fiveServices
    }

    static let configuration = CommandConfiguration(abstract: "Makes requests on two threads, for `shared-lines`.")

    @Argument(help: "What a request does.")
    var subject: Subject

    @Option(help: "How many requests each thread makes while it is watched.")
    var count = 4

    func run() throws {
        // The script knows the code by it.
        print(try String(contentsOfFile: "/proc/self/maps", encoding: .utf8))
        fflush(nil)
        let (serve, mark) = (serve, Mark())
        let threads = [Worker(serve, mark), Worker(serve, mark)]
        // What only the first requests do is over before one is watched.
        for thread in threads { thread.serve(20, isWatched: false) }
        for thread in threads { thread.serve(count, isWatched: true) }
        // Without letting go of anything, which would be one thread's work on what the other has made.
        Foundation.exit(0)
    }

    /// Makes so many requests, and calls the function before and after them.
    fileprivate typealias Serve = @Sendable (_ count: Int, _ mark: @escaping @Sendable () -> Void) -> Void

    private var serve: Serve {
        let fixture = Fixture.shared
        let (app, requests, building) = (fixture.app, fixture.requests, fixture.building)
        let ending = fixture.ending
        // Asked for once, because the answer is counted.
        let global = EnvironmentScope.global
        return switch subject {
        case .nothing: Self.marked { _ in }
        case .ownValue: Self.marked { requests.serveOneValue(under: app, $0) }
        case .ownValueBelowGlobal: Self.marked { requests.serveOneValue(under: global, $0) }
        case .ownValueWithChild: Self.markedTask { await ending.serveWithChild(of: app, $0) }
        case .withCleanup: Self.markedTask { await ending.serveWithCleanup(under: app, $0) }
        case .withPart: Self.markedTask { await ending.serveWithPart(under: app, $0) }
        case .parentsValue: Self.marked { building.readParentsValue(under: app, $0) }
        case .oneService: Self.marked { building.buildOneFromNumbers(under: app, $0) }
        case .fiveServices: Self.marked { building.buildFive(under: app, $0) }
        }
    }

    private static func marked(_ requests: @escaping @Sendable (Int) -> Void) -> Serve {
        { count, mark in
            mark()
            requests(count)
            mark()
        }
    }

    /// The same for requests that may wait, but do not: so the task runs to its end on the calling thread.
    private static func markedTask(
        _ requests: nonisolated(nonsending) @escaping @Sendable (Int) async -> Void
    ) -> Serve {
        { count, mark in
            guard #available(macOS 26, *) else { return }
            Task.immediate {
                mark()
                await requests(count)
                mark()
            }
        }
    }
}

/// A thread that lives as long as the program, so that its memory is its own.
private final class Worker: @unchecked Sendable {
    // Sendable because the semaphores hand the properties over from one thread to the other.
    private let isAsked = DispatchSemaphore(value: 0)
    private let isDone = DispatchSemaphore(value: 0)
    private var count = 0
    private var isWatched = false

    init(_ serve: @escaping SharedLinesCommand.Serve, _ mark: Mark) {
        Thread.detachNewThread { [self] in
            while true {
                isAsked.wait()
                let isWatched = isWatched
                serve(count) { if isWatched { mark.write() } }
                isDone.signal()
            }
        }
    }

    func serve(_ count: Int, isWatched: Bool) {
        self.count = count
        self.isWatched = isWatched
        isAsked.signal()
        isDone.wait()
    }
}

/// A place in memory whose address `shared-lines` knows; a write to it tells the script where it is in the trace.
private struct Mark: Sendable {
    private static let address: UInt = 0x7_0000_0000

    init() {
        let wanted = UnsafeMutableRawPointer(bitPattern: Self.address)
        let memory = mmap(wanted, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
        precondition(memory == wanted, "the place of the mark is taken")
    }

    func write() { UnsafeMutablePointer<UInt64>(bitPattern: Self.address)?.pointee += 1 }
}
