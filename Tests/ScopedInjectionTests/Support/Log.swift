/// The events of a test, in order.
final class Log: Sendable {
    private let added = Box<[String]>([])

    var lines: [String] { added.value }

    func add(_ line: String) { added.update { $0.append(line) } }

    /// The lines so far, which are forgotten.
    func take() -> [String] {
        added.update { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// Suspends until a line is there.
    func wait(for line: String) async { while !lines.contains(line) { await Task.yield() } }
}

/// A gate that stops tasks until it is opened.
final class Barrier: Sendable {
    private let state = Box<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiting = state.update { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.update { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
