public import Foundation

/// How a program that measures tells another one what it measured, each outcome as soon as it is there.
public enum Report {
    private static let end = UInt8(ascii: "\n")

    /// Measures the lines and writes the outcomes.
    public static func write(_ lines: [Line], _ effort: Effort, to file: FileHandle = .standardOutput) throws {
        for line in lines {
            file.write(try JSONEncoder().encode(try line.run(effort)) + [end])
        }
    }

    /// Reads outcomes until the other program has ended.
    public static func read(from file: FileHandle, _ body: (Outcome) -> Void) throws {
        var text = Data()
        while case let more = file.availableData, !more.isEmpty {
            text += more
            while let index = text.firstIndex(of: end) {
                body(try JSONDecoder().decode(Outcome.self, from: text[..<index]))
                text = Data(text[(index + 1)...])
            }
        }
    }
}
