import ScopedInjection

/// A closure that no test should reach, and that gives something to go on with.
public func unimplemented<each Argument, Result>(
    _ name: String,
    placeholder: @autoclosure @escaping @Sendable () -> Result,
    fileID: StaticString = #fileID,
    line: UInt = #line
) -> @Sendable (repeat each Argument) -> Result {
    { (_: repeat each Argument) in
        ScopedInjection.unimplemented(name, placeholder: placeholder(), fileID: fileID, line: line)
    }
}

/// A closure that no test should reach, and that throws.
public func unimplemented<each Argument, Result>(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line
) -> @Sendable (repeat each Argument) throws -> Result {
    { (_: repeat each Argument) in try ScopedInjection.unimplemented(name, fileID: fileID, line: line) }
}
