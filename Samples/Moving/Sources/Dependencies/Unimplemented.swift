// Endpoints that no test should reach, reported by `reportIssue`: whoever has a recorder there has them, too. A file that imports
// ScopedInjection besides has the endpoints of that, which are told to the running test as well.

/// What an endpoint that is not implemented throws.
public struct UnimplementedFailure: Error, CustomStringConvertible {
    /// A sentence that names the endpoint.
    public let description: String
}

/// Makes an endpoint that no test should reach: called, it reports an issue, and throws.
@_disfavoredOverload
public func unimplemented<each Argument, R>(
    _ name: @autoclosure @escaping @Sendable () -> String = "An endpoint",
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) -> @Sendable (repeat each Argument) throws -> R {
    let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    return { (_: repeat each Argument) in throw failure(name(), place) }
}

/// Makes an endpoint that cannot throw: called, it reports an issue, and gives something to go on with.
@_disfavoredOverload
public func unimplemented<each Argument, R>(
    _ name: @autoclosure @escaping @Sendable () -> String = "An endpoint",
    placeholder: @autoclosure @escaping @Sendable () -> R,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) -> @Sendable (repeat each Argument) -> R {
    let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    return { (_: repeat each Argument) in
        _ = failure(name(), place)
        return placeholder()
    }
}

/// Stands for a function that no test should reach: reports an issue, and gives the error to throw.
@_disfavoredOverload
public func unimplemented(
    _ name: String,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) -> UnimplementedFailure {
    failure(name, IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Stands for a function that cannot throw: reports an issue, and gives something to go on with.
@_disfavoredOverload
public func unimplemented<R>(
    _ name: String,
    placeholder: R,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) -> R {
    _ = failure(name, IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column))
    return placeholder
}

private func failure(_ name: String, _ place: IssuePlace) -> UnimplementedFailure {
    report("\(name) was called, which is not implemented in this test.", place)
    return UnimplementedFailure(description: "\(name) is not implemented.")
}
