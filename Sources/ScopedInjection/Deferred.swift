import Synchronization

/// An asynchronous value, made once when it is first awaited, for all that await it.
///
/// Builders of values cannot await. If making a value takes an await, as opening a connection does, declare it as
/// deferred:
///
/// ```swift
/// static var connection: ScopeValue<Deferred<Connection>> {
///     .lazy { reader in
///         let path = try reader.databasePath
///         return Deferred { try await Connection.open(path) }
///     }
/// }
/// ```
///
/// A reader awaits it: `let connection = try await scope.connection()`. The builder reads the inputs, so the deferred
/// value is kept where they are, and a scope that overrides one of them has its own, as with any value.
///
/// - The result is kept for as long as the deferred value itself. An error goes to all that waited for that run, and the
///   next await starts another run.
/// - The error is a ``ScopeError`` with the name that the value has from the builder which makes it. Observers of the scope that keeps
///   it are told of its runs. One that is made elsewhere, as for a test, has only its place.
/// - A task that is cancelled while it waits stops waiting, with a `CancellationError`. The run goes on, even if no
///   task waits, because a later one will want the result. The run is cancelled when the deferred value goes away.
/// - The run does not belong to the tasks that wait for it. Like a detached task it has none of their task-locals,
///   and no scope is entered, so nothing of a request reaches the result. Read what the run needs in the builder.
/// - The run has the priority of the first task that waits.
/// - A run that awaits its own value, directly or through other deferred values, is the error
///   ``ScopeError/Code-swift.enum/cycle``, at that await. A task that is started in a run counts as part of it,
///   unless it is detached.
///
/// To close the result, make it with ``ScopeReader/deferred(fileID:line:_:onClose:)``. All members may be used from any thread at any time.
public final class Deferred<Value: Sendable>: Sendable {
    /// The shared state; the task of the run holds only this, so it does not keep the deferred value alive.
    private let content: Content

    /// Creates a value that is made when it is first awaited.
    ///
    /// ```swift
    /// static var greeting: ScopeValue<Deferred<String>> {
    ///     .lazy { _ in Deferred { await Greeter().greeting() } }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for error texts.
    ///   - line: The line of the call, for error texts.
    ///   - make: Makes the value, in a task of its own and under no lock. The closure is released once the
    ///     value is made.
    public init(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable () async throws -> Value
    ) {
        let thread = ThreadState.current
        let build = thread.pointee.activity.isDeclaring ? nil : thread.pointee.activity.build?.object
        content = Content(make, SourcePlace(fileID: fileID, line: line), build)
    }

    /// The one of a builder's value.
    init(_ build: Build, _ place: SourcePlace, _ make: @escaping @Sendable () async throws -> Value) {
        content = Content(make, place, build)
    }

    /// What closes the value if it was ever made, and keeps it from being made or given later.
    func cleanup(_ close: @escaping Close, _ title: Cleanup.Title) -> Cleanup {
        Cleanup(awaited: { [content] in try await content.close(close) }, title: title)
    }

    deinit { content.abandon() }

    /// Returns the value, and makes it if it is not there yet.
    ///
    /// ```swift
    /// let connection = try await scope.connection()
    /// ```
    ///
    /// - Throws: A ``ScopeError``, whose ``ScopeError/underlyingError`` is what the run threw if that is none itself; a
    ///   `CancellationError` if this task is cancelled before the value is there, or if the run threw one.
    public nonisolated(nonsending) func callAsFunction() async throws -> Value {
        defer { withExtendedLifetime(self) {} }
        if let value = valueIfReady { return value }
        return try await content.madeValue()
    }

    /// The value, if it is made already; otherwise nil.
    ///
    /// It starts nothing and waits for nothing.
    ///
    /// ```swift
    /// if let connection = scope.connection.valueIfReady {
    ///     print(connection.statistics)
    /// }
    /// ```
    public var valueIfReady: Value? { content.value }
}

extension Deferred: Awaited {
    var isMade: Bool { valueIfReady != nil }

    var making: String { content.making }

    nonisolated(nonsending) func make() async -> (any Error)? {
        do { _ = try await self() } catch { return error }
        return nil
    }
}

// MARK: - State

extension Deferred {
    fileprivate typealias Make = @Sendable () async throws -> Value
    typealias Close = @Sendable (Value) async throws -> Void

    fileprivate final class Made: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// The value, or the closure that makes it and the run in progress.
    fileprivate final class Content: Sendable {
        private struct State: Sendable {
            /// Nil once the value is made.
            var make: Make?
            var run: DeferredRun<Value>?
            /// What the last run that has ended threw.
            var failure: (any Error)?
        }

        private let made = AtomicLazyReference<Made>()
        private let state: Guarded<State>
        /// Whether the cleanup has begun, so that no run begins any more, and the value is given to nobody.
        private let isClosed = Atomic(false)
        private let place: SourcePlace
        /// The build in whose builder it was made, which knows the scope that keeps the value; nil for none.
        private let build: Build?
        private var key: ValueKey? { build?.key }
        /// That builder, if it was given to a scope.
        private let builder: BuilderPlace?

        init(_ make: @escaping Make, _ place: SourcePlace, _ build: Build?) {
            state = Guarded(State(make: make))
            (self.place, self.build, builder) = (place, build, build?.place)
            build?.isOutlived = true
        }

        var value: Value? { isClosed.load(ordering: .acquiring) ? nil : made.load()?.value }

        nonisolated(nonsending) func madeValue() async throws -> Value {
            try Task.checkCancellation()
            let (run, isFirst) = try run()
            guard let run else { return made.load().unsafelyUnwrapped.value }
            let stopwatch = !isFirst && observed != nil ? Stopwatch() : nil
            defer { if let stopwatch { report(.waited, after: stopwatch.time) } }
            return try await run.value()
        }

        /// The run in progress, or a new one, and whether it is new; nil if the value is made.
        private func run() throws(ScopeError) -> (DeferredRun<Value>?, isFirst: Bool) {
            let (make, run) = state.withLock { state -> (Make?, DeferredRun<Value>?) in
                guard let make = state.make, state.run == nil, !isClosed.load(ordering: .relaxed) else {
                    return (nil, state.run)
                }
                let run = DeferredRun<Value>(place, key)
                state.run = run
                return (make, run)
            }
            if run == nil, value == nil { throw gone }
            if let run, let make { run.start(make) { self.end(run, $0) } }
            return (run, make != nil)
        }

        private var gone: ScopeError {
            ScopeError(
                .closed,
                key: key,
                detail: "the scope that kept it is closed, or has let go of it",
                advice: "read the value again, in a scope that is open."
            )
        }

        /// Closes what was made; a run in progress is cancelled and awaited, and none begins any more.
        nonisolated(nonsending) func close(_ close: @escaping Close) async throws {
            let run = state.withLock { state in
                isClosed.store(true, ordering: .releasing)
                return state.run
            }
            run?.cancel()
            // At once if the run waits for this end.
            _ = try? await run?.value()
            if let value = made.load()?.value { try await close(value) }
        }

        /// Ends a run: keeps the value, or lets the next await start another run.
        private func end(_ run: DeferredRun<Value>, _ outcome: Result<Value, any Error>) {
            let outcome = outcome.mapError { explained($0) }
            // The first two are released after the lock is.
            let (make, former, failure) = state.withLock { state -> (Make?, (any Error)?, (any Error)?) in
                let former = state.failure
                switch outcome {
                case .success(let value):
                    _ = made.storeIfNil(Made(value))
                    state.failure = nil
                case .failure(let error): state.failure = isClosed.load(ordering: .relaxed) ? gone : error
                }
                state.run = nil
                return (made.load() == nil ? nil : state.make.take(), former, state.failure)
            }
            withExtendedLifetime((make, former)) {}
            report(failure == nil ? .built : .failed, after: run.time, failure)
            run.finish(failure.map { .failure($0) } ?? outcome)
        }

        // MARK: Seeing

        var making: String {
            let (time, failure) = state.withLock { ($0.run?.time, $0.failure) }
            if made.load() != nil { return "made" }
            if let time { return "being made for \(time.text)" }
            // The text of an error is user code.
            let text = failure.map { "\(($0 as? ScopeError)?.underlyingError ?? $0)".prefix { !$0.isNewline } }
            return text.map { "failed with \($0)" } ?? "not made yet"
        }

        /// The error of the value for what a run threw.
        private func explained(_ error: any Error) -> any Error {
            if error is CancellationError { return error }
            if let known = error as? ScopeError, key == nil || !known.isOfNameless {
                return key.map { known.needed(by: $0, builder) } ?? known
            }
            let location = ScopeError.Location(place)
            let nameless = "The deferred value (\(TypeName.written(Value.self))) made at \(location) could not be made"
            let (searched, detail) = (build?.scopeNow?.chainNames, build == nil ? nameless : nil)
            var failed = ScopeError(.makeFailed, key: key, searched: searched, detail: detail)
            (failed.fields.underlyingError, failed.fields.builder) = (error, builder)
            failed.fields.deferredAt = location
            return failed
        }

        /// The scope that keeps the value, if anybody observes it.
        private var observed: EnvironmentScope? {
            build?.scopeNow.flatMap { scope in scope.node.inspect { scope.node.isObservedNow } ? scope : nil }
        }

        private func report(
            _ kind: ScopeEvent.Kind,
            after time: @autoclosure () -> Duration,
            _ error: (any Error)? = nil
        ) {
            guard let scope = observed else { return }
            scope.report(ScopeEvent(kind, in: scope, of: key, after: time(), error, saying: .ofRun))
        }

        /// Cancels the run, whose result nothing can read any more.
        func abandon() { state.withLock { $0.run }?.cancel() }
    }
}
