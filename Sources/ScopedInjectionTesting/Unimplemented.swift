import ScopedInjection
public import Testing

/// Stands for an endpoint that a test does not expect to be called: records an issue and throws.
///
/// For values that are written by hand, of which a test needs a part:
///
/// ```swift
/// struct NoPayments: Payments {
///     func charge(_ amount: Int) throws -> Receipt { try unimplemented("Payments.charge") }
///     func balance() -> Int { unimplemented("Payments.balance", placeholder: 0) }
/// }
/// ```
///
/// The issue is of the test that calls it, at the line where this stands. It may be called on any thread; where no test
/// is known there, the issue is of the run.
///
/// - Parameters:
///   - name: What the issue calls the endpoint.
///   - sourceLocation: Where the endpoint stands.
/// - Throws: Always, ``UnimplementedError``.
public func unimplemented<Value>(
    _ name: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws(UnimplementedError) -> Value {
    report(name, sourceLocation, "  Given: an error.")
    throw UnimplementedError(name: name)
}

/// Stands for an endpoint that a test does not expect to be called and that cannot throw: records an issue and gives
/// something to go on with.
///
/// See ``unimplemented(_:sourceLocation:)``.
///
/// - Parameters:
///   - name: What the issue calls the endpoint.
///   - placeholder: What the endpoint gives.
///   - sourceLocation: Where the endpoint stands.
public func unimplemented<Value>(
    _ name: String,
    placeholder: Value,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Value {
    report(name, sourceLocation, "  Given: the placeholder.")
    return placeholder
}

/// What an unimplemented endpoint throws.
public struct UnimplementedError: Error, CustomStringConvertible {
    /// What the issue calls the endpoint.
    public let name: String

    /// Says that the endpoint is not implemented.
    public var description: String { "\(name) is not implemented in this test." }
}

private func report(_ name: String, _ location: SourceLocation, _ given: String) {
    let lines = [
        "\(name) was called, which is not implemented in this test.",
        "  To fix it: give the test a value that implements it, or let the code under test not call it.",
        given,
    ]
    let reporter = RunningCase.current?.report.reporter ?? ScopeIssue.reporter
    reporter.take(ScopeIssue(lines, of: Test.current, at: Optional(location)))
}
