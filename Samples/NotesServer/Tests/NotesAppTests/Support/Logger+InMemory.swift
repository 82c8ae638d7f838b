import InMemoryLogging
import Logging
import NotesApp

extension Logger {
    /// A logger that writes to memory what the server's own writes.
    static func inMemory(_ log: InMemoryLogHandler) -> Logger {
        Logger(label: "test") { _ in
            var log = log
            log.metadataProvider = .requestID
            return log
        }
    }
}
