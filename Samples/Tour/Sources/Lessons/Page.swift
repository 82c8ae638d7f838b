/// Where the lessons write; the tour prints the lines, the test collects them.
public struct Page: Sendable {
    private let write: @Sendable (String) -> Void

    /// Creates a page that hands every line to a function.
    public init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    func begin(number: Int, title: String) {
        if number > 1 { write("") }
        write("\(number). \(title)")
    }

    /// Says in a sentence what comes next.
    func say(_ sentence: String) {
        write("")
        write("   \(sentence)")
    }

    /// Shows an expression, and what it gave.
    func show(_ expression: String, _ value: some Any) {
        write("      \(expression.padded(to: 44)) // \(value)")
    }

    /// Shows a line of code that gives nothing.
    func show(_ code: String) { write("      \(code)") }

    /// Shows a text of several lines.
    func quote(_ text: some CustomStringConvertible) {
        for line in text.description.split(separator: "\n") { write("      | \(line)") }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
