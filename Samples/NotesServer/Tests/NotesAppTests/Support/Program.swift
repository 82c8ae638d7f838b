import Foundation
import Testing

/// The server that was built with the tests, as a process.
final class Program: Sendable {
    private let process: Process
    private let standardOutput: Pipe
    private let logFile: URL
    private let exit: Task<Int32, Never>

    /// Starts it in a directory, without any setting of the environment.
    init(_ arguments: [String], executable: URL = Program.built, in directory: URL) throws {
        process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("NOTES_") }
        standardOutput = Pipe()
        process.standardOutput = standardOutput
        logFile = directory.appending(path: "log-\(UUID().uuidString)")
        try Data().write(to: logFile)
        process.standardError = try FileHandle(forWritingTo: logFile)
        let (exits, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            continuation.yield($0.terminationStatus)
            continuation.finish()
        }
        exit = Task {
            for await status in exits { return status }
            return -1
        }
        try process.run()
    }

    /// The lines that it prints, as it prints them.
    var output: AsyncThrowingStream<String, any Error> {
        let (lines, continuation) = AsyncThrowingStream.makeStream(of: String.self)
        let handle = standardOutput.fileHandleForReading
        Thread {
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self)) }
            continuation.finish()
        }.start()
        return lines
    }

    /// Does what Control-C does.
    func interrupt() { process.interrupt() }

    /// Asks it to read its settings again.
    func hangUp() { kill(process.processIdentifier, SIGHUP) }

    /// Its exit status, once it has ended.
    var status: Int32 { get async { await exit.value } }

    /// What it has written to its log, and of errors.
    var log: String { (try? String(contentsOf: logFile, encoding: .utf8)) ?? "" }

    static var built: URL {
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        return (tests ?? URL(filePath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appending(path: "notes-server")
    }
}

/// A shell, for lines that people paste.
enum Shell {
    /// Runs a line, and gives what it prints.
    static func run(_ line: String) async throws -> String {
        try await withTemporaryDirectory { directory in
            let shell = try Program(["-c", line], executable: URL(filePath: "/bin/sh"), in: directory)
            return try await shell.output.reduce(into: "") { $0 += $1 + "\n" }
        }
    }
}
