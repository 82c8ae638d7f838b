import ScopedInjection
import Testing

/// Expects a text in the output of the program before it ended.
func expect(_ result: ExitTest.Result?, says text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let written = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(written.contains(text), sourceLocation: sourceLocation)
}

/// Expects the whole text that the program ended with.
func expect(_ result: ExitTest.Result?, saysExactly text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    expect(result, says: "Fatal error: \(text)\n", sourceLocation: sourceLocation)
}

/// Lets scopes without a parent be as in a program, in a process of its own.
func useProgramRoots() { _ = TestProcess.hook?.say(.allowed) }
