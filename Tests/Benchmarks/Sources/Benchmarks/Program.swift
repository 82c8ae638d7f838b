import ArgumentParser
import Foundation
import Harness

/// A program beside this one that measures.
struct Program {
    let name: String

    /// Where the programs lie.
    private var url: URL {
        let folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(filePath: ".")
        return folder.appending(path: name)
    }

    /// Runs it with the options that this one was given; where it fails, this one ends with its status.
    func run(_ show: (Outcome) -> Void) throws {
        let process = Process()
        process.executableURL = url
        process.arguments = Array(CommandLine.arguments.dropFirst())
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        try Report.read(from: output.fileHandleForReading, show)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs it with arguments and gives the number that it prints.
    func number(_ arguments: String...) throws -> Double {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard process.terminationStatus == 0, let number = Double(text) else {
            throw Failure(description: "\(name) printed no number: \(text)")
        }
        return number
    }
}
