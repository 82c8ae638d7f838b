import Synchronization

/// Tells who came and who left.
package final class Board: Sendable {
    private let lines: AsyncStream<String>.Continuation
    /// What happened, for one listener.
    package let news: AsyncStream<String>

    init() { (news, lines) = AsyncStream.makeStream() }

    func note(_ line: String) { lines.yield(line) }

    /// Ends the news.
    func close() { lines.finish() }
}
