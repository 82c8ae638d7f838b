import Synchronization

/// An asynchronous value: made once, when it is first awaited, for all who wait.
///
/// Builders of values cannot wait. Where making something waits, as opening a connection does, let the scope's value be
/// how to make it:
///
/// ```swift
/// static let connection = ScopeValue<Deferred<Connection>> { scope in
///     let path = scope.databasePath
///     return Deferred { try await Connection.open(path) }
/// }
/// ```
///
/// Whoever reads the value awaits it: `let connection = try await scope.connection()`. The inputs are read in the builder, so
/// the deferred value is kept where they are, and a scope that overrides one of them has another, as with any value.
///
/// - What is made is kept for as long as the deferred value itself. An error is not: it goes to all who waited for that run,
///   and the next one who asks starts another.
/// - A task that is cancelled while it waits stops waiting, with a `CancellationError`. The run goes on for the others, and
///   also where nobody is left, since the next one will want what it makes. It is cancelled when the deferred value goes
///   away.
/// - A run belongs to nobody who waits for it. Like a detached task it has none of their task-locals, and no scope is entered,
///   so nothing of a request reaches what others are given. To read values while it runs, enter the scope that the
///   builder was given: `Deferred { try await scope { … } }`. Once the deferred value is kept, that is the scope which keeps it.
/// - It runs with the priority of the first who waits, and is raised to that of others.
/// - A run that awaits its own value, in itself or by way of other deferred values, is the error
///   ``ScopeError/Code-swift.enum/cycle``, at that await. A task that is started in a run counts as part of it, unless it is
///   detached.
///
/// To close what was made, see <doc:LazyValues>. All members may be used from any thread at any time.
public final class Deferred<Value: Sendable>: Sendable {
    /// All there is, for the run's own task: that one does not keep the deferred value alive.
    private let content: Content

    /// A value that is made when it is first awaited.
    ///
    /// ```swift
    /// static let greeting = ScopeValue(Deferred { await Greeter().greeting() })
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: Where it stands, for the text of an error.
    ///   - line: Where it stands, for the text of an error.
    ///   - make: Makes the value, in a task of its own and under no lock. It is let go of once the value is made.
    public init(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable () async throws -> Value
    ) {
        content = Content(make, fileID, line)
    }

    deinit { content.abandon() }

    /// The value, made now if it is not there yet.
    ///
    /// ```swift
    /// let connection = try await scope.connection()
    /// ```
    ///
    /// - Throws: What the run threw; a `CancellationError` where this task is cancelled before the value is there; a
    ///   ``ScopeError`` in a run that waits for itself.
    public nonisolated(nonsending) func callAsFunction() async throws -> Value {
        defer { withExtendedLifetime(self) {} }
        if let value = valueIfReady { return value }
        return try await content.value()
    }

    /// The value, if it is made already; nil otherwise.
    ///
    /// It starts nothing and waits for nothing.
    ///
    /// ```swift
    /// if let connection = scope.connection.valueIfReady { print(connection.statistics) }
    /// ```
    public var valueIfReady: Value? { content.made.load()?.value }
}

extension Deferred: CustomReflectable {
    /// Shows the value, if it is made; so ``EnvironmentScope/replace(in:options:)-(Any,_)`` finds its references.
    public var customMirror: Mirror {
        Mirror(self, children: valueIfReady.map { [(label: "value", value: $0)] } ?? [])
    }
}

// MARK: - What those who wait and the run share

extension Deferred {
    fileprivate typealias Make = @Sendable () async throws -> Value

    fileprivate final class Made: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// The value, or how to make it and who is making it.
    fileprivate final class Content: Sendable {
        private struct State: Sendable {
            /// Nil once the value is made.
            var make: Make?
            var run: DeferredRun<Value>?
        }

        let made = AtomicLazyReference<Made>()
        private let state: Guarded<State>
        private let fileID: StaticString
        private let line: UInt

        init(_ make: @escaping Make, _ fileID: StaticString, _ line: UInt) {
            state = Guarded(State(make: make))
            self.fileID = fileID
            self.line = line
        }

        nonisolated(nonsending) func value() async throws -> Value {
            try Task.checkCancellation()
            guard let run = run() else { return made.load().unsafelyUnwrapped.value }
            return try await run.value()
        }

        /// The run that is underway, else a new one; nil where the value is made.
        private func run() -> DeferredRun<Value>? {
            let (make, run) = state.withLock { state -> (Make?, DeferredRun<Value>?) in
                guard let make = state.make else { return (nil, nil) }
                if let run = state.run { return (nil, run) }  // fault: deferred-once
                let run = DeferredRun<Value>(DeferredPlace(Deferred.self, fileID, line))
                state.run = run
                return (make, run)
            }
            if let run, let make { run.start(make) { self.end(run, $0) } }
            return run
        }

        /// Ends a run: keeps the value, or lets the next one who asks start another.
        private func end(_ run: DeferredRun<Value>, _ outcome: Result<Value, any Error>) {
            if case .success(let value) = outcome { _ = made.storeIfNil(Made(value)) }
            // Let go of when the lock is.
            let ended = state.withLock { state -> State in
                defer { state = State(make: made.load() == nil ? state.make : nil) }
                return state
            }
            withExtendedLifetime(ended) {}
            run.finish(outcome)
        }

        /// Cancels the run that nobody can ask for any more.
        func abandon() { state.withLock { $0.run }?.cancel() }
    }
}
