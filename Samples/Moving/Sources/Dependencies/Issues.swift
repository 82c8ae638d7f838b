// What swift-dependencies re-exports, and servers use most. Copy what you use.

import Foundation

/// Takes issues in a process that runs tests.
package protocol IssueTaking {
    /// Records an issue.
    static func take(_ message: String, _ place: IssuePlace)
}

/// Where an issue was reported.
package struct IssuePlace: Sendable {
    package let fileID: StaticString
    package let filePath: StaticString
    package let line: UInt
    package let column: UInt
}

/// Reports an issue: fails the running test; elsewhere it writes to standard error.
public func reportIssue(
    _ message: @autoclosure () -> String = "An issue was reported.",
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) {
    report(message(), IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Reports an error: fails the running test; elsewhere it writes to standard error.
public func reportIssue(
    _ error: any Error,
    _ message: @autoclosure () -> String? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) {
    let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    report([message(), "Caught error: \(error)"].compactMap { $0 }.joined(separator: "\n"), place)
}

/// Reports what a body throws; then the result is nil.
public func withErrorReporting<R>(
    _ message: @autoclosure () -> String? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    catching body: () throws -> R
) -> R? {
    do {
        return try body()
    } catch {
        reportIssue(error, message(), fileID: fileID, filePath: filePath, line: line, column: column)
        return nil
    }
}

/// Reports what an asynchronous body throws; then the result is nil.
public func withErrorReporting<R>(
    _ message: @autoclosure () -> String? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    isolation: isolated (any Actor)? = #isolation,
    catching body: () async throws -> R
) async -> R? {
    do {
        return try await body()
    } catch {
        reportIssue(error, message(), fileID: fileID, filePath: filePath, line: line, column: column)
        return nil
    }
}

/// Where all issues go; one recorder here takes those of endpoints, too.
func report(_ message: String, _ place: IssuePlace) {
    if let expected = ExpectedIssues.current { return expected.take(message) }
    if let tests = _typeByName("23DependenciesTestSupport10TestIssuesC") as? any IssueTaking.Type {
        tests.take(message, place)
    } else {
        FileHandle.standardError.write(Data("\(place.fileID):\(place.line): \(message)\n".utf8))
    }
}

/// A value behind a lock.
@dynamicMemberLookup
public final class LockIsolated<Value>: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private var content: Value

    /// Guards a value.
    public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows { content = try value() }

    /// Changes the value under the lock.
    public func withValue<R: Sendable>(_ operation: @Sendable (inout Value) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try operation(&content)
    }

    /// Replaces the value.
    public func setValue(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
        lock.lock()
        defer { lock.unlock() }
        content = try value()
    }
}

extension LockIsolated where Value: Sendable {
    /// A copy of the value.
    public var value: Value { withValue { $0 } }

    /// A part of the value.
    public subscript<Part: Sendable>(dynamicMember path: any KeyPath<Value, Part> & Sendable) -> Part {
        withValue { $0[keyPath: path] }
    }
}

extension DependencyValues {
    /// Starts what nobody waits for; a test does.
    public var fireAndForget: FireAndForget {
        get { self[FireAndForget.self] }
        set { self[FireAndForget.self] = newValue }
    }
}

/// Starts what nobody waits for.
public struct FireAndForget: DependencyKey, Sendable {
    private let start: @Sendable (TaskPriority?, @escaping @Sendable () async throws -> Void) async -> Void

    /// Starts what a closure is given.
    public init(
        _ start: @escaping @Sendable (TaskPriority?, @escaping @Sendable () async throws -> Void) async -> Void
    ) {
        self.start = start
    }

    /// Starts an operation.
    public func callAsFunction(
        priority: TaskPriority? = nil,
        _ operation: @escaping @Sendable () async throws -> Void
    ) async {
        await start(priority, operation)
    }

    /// A task of its own, with the overrides in force.
    public static var liveValue: Self {
        Self { priority, operation in _ = Task(priority: priority, operation: operation) }
    }

    /// Waits for the operation.
    public static var testValue: Self {
        Self { priority, operation in try? await Task(priority: priority, operation: operation).value }
    }
}
