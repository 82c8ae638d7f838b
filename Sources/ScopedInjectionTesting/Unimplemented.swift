import ScopedInjection
public import Testing

/// Stands for an endpoint that a test does not expect to be called: records an issue and throws.
///
/// Use it in a type that you write for a test, for the parts that the test does not need.
///
/// ```swift
/// struct NoPayments: Payments {
///     func charge(_ amount: Int) throws -> String {
///         try unimplemented("Payments.charge")
///     }
///     func balance() -> Int {
///         unimplemented("Payments.balance", placeholder: 0)
///     }
/// }
/// ```
///
/// The issue is one of the test that calls the endpoint, at the line where this call stands. Any thread may call it.
/// Where no test is known, in a detached task or on a queue, the issue names the tests that may be meant.
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
/// See ``unimplemented(_:sourceLocation:)``, which has an example of both.
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

/// What ``unimplemented(_:sourceLocation:)`` throws.
public struct UnimplementedError: Error, CustomStringConvertible {
    /// What the issue calls the endpoint.
    public let name: String

    /// A sentence that names the endpoint.
    public var description: String { "\(name) is not implemented in this test." }
}

private func report(_ name: String, _ location: SourceLocation, _ given: String) {
    var lines = [
        "\(name) was called, which is not implemented in this test.",
        "  To fix it: give the test a value that implements it, or let the code under test not call it.",
        given,
    ]
    let candidates = Test.current == nil ? GlobalWatch.running : []
    if !candidates.isEmpty {
        lines.append(GlobalWatch.line(naming: candidates))
        GlobalWatch.deliver(lines, at: location, isFailure: true, toOneOf: candidates)
    } else {
        let issue = ScopeIssue(lines, of: Test.current, at: location)
        if let running = ScopedCase.current { running.deliver(issue) } else { ScopeIssue.reporter.take(issue) }
    }
}
