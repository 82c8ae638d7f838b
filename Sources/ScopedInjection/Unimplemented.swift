/// Makes an endpoint of a client that no test should reach unless it sets it: called, it records an issue in a test, and throws.
///
/// Use it for the endpoints of a client that is a struct of closures, of any number of arguments, synchronous or not. What it has by
/// default is then what tests get. It links no test library.
///
/// ```swift
/// struct FileClient: Sendable {
///     var read: @Sendable (String) async throws -> String = unimplemented("Files.read")
///     var exists: @Sendable (String) -> Bool = unimplemented("Files.exists", placeholder: false)
/// }
/// ```
///
/// Where a parameter is a tuple itself, as in `((Int, Int)) throws -> String`, or variadic, Swift 6.3 crashes when it compiles this
/// call. Write a closure there: `{ _ in throw unimplemented("Files.at") }`.
///
/// In a process that links `ScopedInjectionTesting` the issue is one of the test that calls the endpoint, at the line where this
/// call stands; where no test is known, it fails the run. A call of the endpoint throws an ``UnimplementedError``. Any thread may make
/// it.
///
/// - Parameters:
///   - name: What the issue calls the endpoint.
///   - fileID: Where the endpoint stands.
///   - line: Where the endpoint stands.
/// - Returns: The endpoint, which throws an ``UnimplementedError`` whenever it is called.
public func unimplemented<each Argument, Result>(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line
) -> @Sendable (repeat each Argument) throws -> Result {
    { (_: repeat each Argument) in throw unimplemented(name, fileID: fileID, line: line) }
}

/// Makes an endpoint that cannot throw: called, it records an issue in a test, and gives something to go on with.
///
/// Elsewhere than in a test process it writes a line to standard error. Any thread may call it.
///
/// ```swift
/// var branch: @Sendable () -> String = unimplemented("Git.branch", placeholder: "")
/// ```
///
/// - Parameters:
///   - name: What the issue calls the endpoint.
///   - placeholder: What the endpoint gives, evaluated at each call; `()` where it gives nothing.
///   - fileID: Where the endpoint stands.
///   - line: Where the endpoint stands.
/// - Returns: The endpoint.
public func unimplemented<each Argument, Result>(
    _ name: String,
    placeholder: @autoclosure @escaping @Sendable () -> Result,
    fileID: StaticString = #fileID,
    line: UInt = #line
) -> @Sendable (repeat each Argument) -> Result {
    { (_: repeat each Argument) in unimplemented(name, placeholder: placeholder(), fileID: fileID, line: line) }
}

/// Stands for a function that no test should reach: records an issue in a test, and gives the error to throw.
///
/// Use it where a test value is a type of its own, or in a part of a closure.
///
/// ```swift
/// func charge(_ amount: Int) throws -> String { throw unimplemented("Payments.charge") }
/// ```
///
/// Any thread may call it.
///
/// - Parameters:
///   - name: What the issue calls the function.
///   - fileID: Where the function stands.
///   - line: Where the function stands.
/// - Returns: The error, for the caller to throw.
public func unimplemented(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line
) -> UnimplementedError {
    report(name, "an error", fileID, line)
    return UnimplementedError(name: name)
}

/// Stands for a function that cannot throw: records an issue in a test, and gives something to go on with.
///
/// Elsewhere than in a test process it writes a line to standard error. Any thread may call it.
///
/// ```swift
/// func balance() -> Int { unimplemented("Payments.balance", placeholder: 0) }
/// ```
///
/// - Parameters:
///   - name: What the issue calls the function.
///   - placeholder: What it gives.
///   - fileID: Where the function stands.
///   - line: Where the function stands.
/// - Returns: The placeholder.
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

/// Says how to write what an earlier version took.
@available(*, unavailable, message: "write throw unimplemented(…), or give a placeholder where it cannot throw")
public func unimplemented<Value>(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line
) throws -> Value { throw unimplemented(name, fileID: fileID, line: line) as UnimplementedError }

/// What an endpoint that is not implemented throws.
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
