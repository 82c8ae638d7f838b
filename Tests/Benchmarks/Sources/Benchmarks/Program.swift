import ArgumentParser
import Foundation
import Harness

/// A program beside this one that measures.
struct Program {
    let name: String

    /// Runs it with the options that this one was given; where it fails, this one ends with its status.
    func run(_ show: (Outcome) -> Void) throws {
        let folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(filePath: ".")
        let process = Process()
        process.executableURL = folder.appending(path: name)
        process.arguments = Array(CommandLine.arguments.dropFirst())
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        try Report.read(from: output.fileHandleForReading, show)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
    }
}
