import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let wanted = ScopeValue<String>.required()
    fileprivate static let needing = ScopeValue { "built from \($0.wanted)" }
    fileprivate static let other = ScopeValue("other")
    fileprivate static let note = ScopeValue("note")
    fileprivate static let dropping = ScopeValue<Dropping>.required()
}

private struct Broken: Error {}

/// Calls a function when it is let go of.
private final class Dropping: Sendable {
    let text: String
    private let whenDropped: (@Sendable () -> Void)?

    init(_ text: String, _ whenDropped: (@Sendable () -> Void)? = nil) {
        self.text = text
        self.whenDropped = whenDropped
    }

    deinit { whenDropped?() }
}

@Suite("R5: what is set during a build wins")
struct SetDuringBuildTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let elsewhereScope = EnvironmentScope("elsewhere", parent: nil) { $0.wanted = "set" }

    /// What gives a scope another value.
    enum Override: CaseIterable {
        case set, provided, aliased, moved

        func apply(to scope: EnvironmentScope, below other: EnvironmentScope) {
            switch self {
            case .set: scope.wanted = "set"
            case .provided: scope.provide(\.wanted) { _ in "set" }
            case .aliased: scope.alias(\.wanted, to: \.other)
            case .moved: scope.parent = other
            }
        }
    }

    @Test(
        "Also if the builder has changed a scope, and whether it returns or throws",
        arguments: Override.allCases,
        [false, true]
    )
    func builderThatChanges(_ override: Override, isThrowing: Bool) throws {
        let log = EnvironmentScope.empty("log", parent: nil)
        let request = EnvironmentScope("request", parent: app) { $0.other = "set" }
        app.provide(\.wanted) { [elsewhereScope] _ in
            log.note = "changed"
            elsewhere { override.apply(to: request, below: elsewhereScope) }
            if isThrowing { throw Broken() }
            return "built"
        }
        #expect(try request.value(for: \.wanted) == "set")
        #expect(request.needing == "built from set")
    }

    @Test("Also for a value that needs it")
    func builtFromIt() {
        let log = EnvironmentScope.empty("log", parent: nil)
        app.provide(\.wanted) { [unowned app] _ in
            log.note = "changed"
            elsewhere { app.wanted = "set" }
            return "built"
        }
        #expect(app.needing == "built from set")
    }

    @Test("A builder that sets its own value is run once, and what it set is the value")
    func builderThatSets() {
        let runs = Box(0)
        app.provide(\.wanted) { [unowned app] _ in
            runs.update { $0 += 1 }
            app.wanted = "set"
            return "built"
        }
        #expect(app.wanted == "set")
        #expect(runs.value == 1)
    }

    #if DEBUG
        /// What a read gives that waits for the build of another thread, while something is done.
        ///
        /// - Parameter end: What the builder does once that was done; its gate opens when the read is over.
        private func read(
            in reader: EnvironmentScope,
            while act: @escaping @Sendable () -> Void,
            end: @escaping @Sendable (EnvironmentScope, Gate) throws -> String
        ) -> Result<String, any Error> {
            let (isBuilding, isDone, isRead) = (Gate(), Gate(), Gate())
            app.provide(\.wanted) { scope in
                isBuilding.open()
                isDone.wait()
                return try end(scope, isRead)
            }
            let build = onThread { [app] in _ = try? app.value(for: \.wanted) }
            isBuilding.wait()
            let meanwhile = once {
                act()
                isDone.open()
            }
            let result = Pause.$beforeWaiting.withValue(meanwhile) { Result { try reader.value(for: \.wanted) } }
            isRead.open()
            build.wait()
            return result
        }

        @Test("Who waits for the build is given what is set meanwhile, and does not wait on", arguments: [false, true])
        func whileWaiting(isSameScope: Bool) throws {
            let reader = isSameScope ? app : EnvironmentScope.empty("request", parent: app)
            let result = read(in: reader, while: { [app] in app.wanted = "set" }) { _, isRead in
                isRead.wait()
                return "built"
            }
            #expect(try result.get() == "set")
        }

        @Test("Who waits looks at each new input whether his own value was set")
        func atNextInput() throws {
            let request = EnvironmentScope.empty("request", parent: app)
            let result = read(in: request, while: { request.wanted = "set" }) { scope, isRead in
                _ = scope.other
                isRead.wait()
                return "built"
            }
            #expect(try result.get() == "set")
        }

        @Test("Who waits is not told that the build has failed, if his value was set", arguments: Override.allCases)
        func whileFailing(_ override: Override) {
            let request = EnvironmentScope("request", parent: app) { $0.other = "set" }
            let act = { @Sendable [elsewhereScope] in override.apply(to: request, below: elsewhereScope) }
            let result = read(in: request, while: act) { _, _ in throw Broken() }
            #expect((try? result.get()) == "set")
        }
    #endif

    @Test("What a deinit sets, while a read lets go of what is out of date, is not waited for")
    func droppedByRead() {
        let request = EnvironmentScope.empty("request", parent: app)
        let (isBuilding, mayEnd) = (Gate(), Gate())
        app.other = "1"
        let build = Box<Gate?>(nil)
        // Not owned, because the scope holds the builder.
        app.provide(\.dropping) { [unowned app] scope in
            guard scope.other == "1" else {
                isBuilding.open()
                mayEnd.wait()
                return Dropping("built")
            }
            return Dropping("out of date") {
                build.value = onThread { [app] in _ = app.dropping }
                isBuilding.wait()
                request.dropping = Dropping("set")
            }
        }
        _ = request.dropping
        app.other = "2"
        let text = Box("")
        onThread { text.value = request.dropping.text }.wait()
        #expect(text.value == "set")
        mayEnd.open()
        build.value?.wait()
    }
}
