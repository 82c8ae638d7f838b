#if canImport(XCTest)
    import ScopedInjection
    public import XCTest

    /// Gives each test of an XCTest class a scope of its own, as the trait `.scope` does in Swift Testing.
    ///
    /// Inherit from it in place of `XCTestCase`.
    ///
    /// ```swift
    /// final class NoteXCTests: ScopedTestCase {
    ///     private let store = NoteStore()
    ///
    ///     override var scopeTrait: ScopeTrait { .scope { $0.database = InMemory() } }
    ///
    ///     func testAddsANote() {
    ///         store.add("milk")
    ///         XCTAssertEqual(store.database.notes, ["milk"])
    ///     }
    /// }
    /// ```
    ///
    /// The scope is current in `setUp`, the test, its teardown blocks and `tearDown`, whether they wait or not. Then it is closed, and
    /// its cleanups are awaited. What an override of `invokeTest` enters around `super.invokeTest()` lies below it. Reports are those of
    /// the trait; a failure is at the file and line of the reference, endpoint or declaration, a warning
    /// is a printed line.
    ///
    /// Stored properties are made before all tests, and `class func setUp` and `class func tearDown` run between them: all in the global
    /// scope. What they read too early fails the test that comes next; read and set values in the `setUp` of an instance. (A stored
    /// `Injected` reads later, in the test.)
    ///
    /// As any XCTest, it runs on one thread at a time.
    open class ScopedTestCase: XCTestCase {
        private var running: ScopedXCTest?

        /// What the scope of each test is made with; nothing unless a class overrides it.
        ///
        /// It is evaluated once for each test, when `setUp` has yet to run. What it throws fails the test, which then does not run.
        open var scopeTrait: ScopeTrait { .scope() }

        /// Performs a test in its scope.
        ///
        /// Around `invokeTest`, so that what classes enter there lies below the scope.
        open override func perform(_ run: XCTestRun) {
            let running = ScopedXCTest(name, scopeTrait)
            self.running = running
            running.enter { super.perform(run) }
            self.running = nil
            running.finish()
        }

        /// Invokes the test, and ends its scope.
        open override func invokeTest() {
            guard let running else { return super.invokeTest() }
            running.run { super.invokeTest() }
            running.end()
        }
    }

    /// One test of such a class: what `ScopedCase.run` is to a case of Swift Testing, in the pieces that XCTest calls.
    private final class ScopedXCTest: Sendable {
        private let running: ScopedCase
        /// Owns the scopes while the test runs: that of the application, and that of a request.
        private let scopes: Guarded<[EnvironmentScope]>
        private let parent: Guarded<EnvironmentScope?>
        private let trait: ScopeTrait
        private let closingLimit: Duration
        /// Why the scope could not be configured.
        private let failure = Guarded<(any Error)?>(nil)

        init(_ name: String, _ trait: ScopeTrait) {
            let options = ScopeTrait.Options(trait, among: [])
            let parent = options.makeParent()
            running = ScopedCase(nil, name, options, below: parent, reportingTo: Self.reporter)
            let scope = running.makeScope(options.name ?? name, below: parent)
            scopes = Guarded(options.hasRequest ? [scope, running.makeRequest(in: scope)] : [scope])
            closingLimit = options.closingLimit
            self.parent = Guarded(parent)
            self.trait = trait
        }

        private static let reporter = ScopeIssue.Reporter { issue in
            if issue.isFailure {
                XCTestWatch.record([issue.text], at: issue.place, isFailure: true)
            } else {
                print("warning: \(issue.text)")
            }
        }

        /// Configures the scope, and does something in it.
        func enter(_ body: () -> Void) {
            ScopedCase.$current.withValue(running) {
                Self.wait {
                    do {
                        try await self.running.configure(by: self.trait, isOfSuite: true)
                    } catch {
                        self.failure.withLock { $0 = error }
                    }
                }
                if let scope = scopes.withLock({ $0.last }) { scope { body() } }
            }
        }

        /// Runs the test, unless the scope could not be configured.
        func run(_ test: () -> Void) {
            guard let failure = failure.withLock({ $0 }) else { return test() }
            running.report(["The scope of \(running.title) could not be configured: \(failure)"])
        }

        /// Closes the scope, and the parent that only the trait has; from now on every read is late.
        func end() {
            Self.wait { await self.close() }
            running.reportSwallowed()
            running.end()
            running.recordMail(thenUsing: .recorded)
        }

        /// Reports what outlives the test; only now, because the test ran in the scope until it had ended.
        func finish() {
            letGoOfScopes()
            Self.wait { await self.running.reportSurvivors() }
        }

        private func letGoOfScopes() {
            // Not under the lock, since it may be the last to hold what they have.
            _ = scopes.withLock { scopes in
                defer { scopes = [] }
                return scopes
            }
        }

        private func close() async {
            let scopes = scopes.withLock { $0 }
            for scope in scopes.reversed() { await running.close(scope, within: closingLimit) }
            // A late read is told, and given what it needs.
            for scope in scopes { scope.reopen() }
            let parent = parent.withLock { parent in
                defer { parent = nil }
                return isKnownUniquelyReferenced(&parent) ? parent : nil
            }
            if let parent { await running.close(parent, within: closingLimit) }
        }

        /// Waits for an operation, while the main thread goes on with what tasks ask of it.
        private static func wait(for operation: @escaping @Sendable () async -> Void) {
            let end = XCTestExpectation(description: "the scope of a test")
            Task {
                await operation()
                end.fulfill()
            }
            _ = XCTWaiter().wait(for: [end], timeout: 86_400)
        }
    }
#endif
