/// Stands for an endpoint that no test should reach unless it sets it: records an issue in a test, and throws.
///
/// Use it for the test value of a client, beside the client. It links no test library.
///
/// ```swift
/// extension GitClient {
///     static let unimplemented = GitClient(
///         tags: { try ScopedInjection.unimplemented("Git.tags") },
///         branch: {
///             ScopedInjection.unimplemented("Git.branch", placeholder: "")
///         }
///     )
/// }
/// ```
///
/// In a process that links `ScopedInjectionTesting` the issue is one of the test that calls the endpoint, at the line where this
/// call stands; where no test is known, it fails the run. Any thread may call it.
///
/// - Parameters:
///   - name: What the issue calls the endpoint.
///   - fileID: Where the endpoint stands.
///   - line: Where the endpoint stands.
/// - Throws: Always, ``UnimplementedError``.
public func unimplemented<Value>(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line
) throws(UnimplementedError) -> Value {
    report(name, "an error", fileID, line)
    throw UnimplementedError(name: name)
}

/// Stands for an endpoint that cannot throw: records an issue in a test, and gives something to go on with.
///
/// See ``unimplemented(_:fileID:line:)``, which has an example. Elsewhere than in a test process it writes a line to standard
/// error.
///
/// - Parameters:
///   - name: What the issue calls the endpoint.
///   - placeholder: What the endpoint gives.
///   - fileID: Where the endpoint stands.
///   - line: Where the endpoint stands.
public func unimplemented<Value>(
    _ name: String,
    placeholder: Value,
    fileID: StaticString = #fileID,
    line: UInt = #line
) -> Value {
    if !report(name, "the placeholder", fileID, line) {
        writeToStandardError("\(UnimplementedError(name: name)) (\(fileID):\(line)); it gave the placeholder.\n")
    }
    return placeholder
}

/// What ``unimplemented(_:fileID:line:)`` throws.
public struct UnimplementedError: Error, CustomStringConvertible {
    /// What the issue calls the endpoint.
    public let name: String

    /// A sentence that names the endpoint.
    public var description: String { "\(name) is not implemented." }
}

/// Records an issue; false in a process that runs no tests.
@discardableResult
private func report(_ name: String, _ given: String, _ fileID: StaticString, _ line: UInt) -> Bool {
    guard let hook = TestProcess.hook else { return false }
    let lines = [
        "\(name) was called, which is not implemented in this test.",
        "  To fix it: give the test a value that implements it, or let the code under test not call it.",
        "  Given: \(given).",
    ]
    hook.record(lines, at: ScopeError.Location(SourcePlace(fileID: fileID, line: line)))
    return true
}
