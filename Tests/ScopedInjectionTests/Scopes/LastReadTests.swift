import ScopedInjection
import Testing

/// Reads values when it goes, and tells what it was given.
private final class Pool: Sendable {
    private let tag = Injected(\.tag)
    private let report: @Sendable (String) -> Void

    init(_ report: @escaping @Sendable (String) -> Void) { self.report = report }
    deinit { report(tag()) }
}

extension ScopeValues {
    fileprivate static let report = ScopeValue<@Sendable (String) -> Void>.required()
    fileprivate static let tag = ScopeValue("default")
    fileprivate static let pool = ScopeValue { scope in Pool(scope.report) }
}

extension Result where Failure == ScopeError {
    fileprivate var failureCode: ScopeError.Code? { if case .failure(let error) = self { error.code } else { nil } }
}

/// What makes a scope run its cleanups in itself, so that it is current while its values go.
private enum Closing: CaseIterable {
    case plain, withCleanup, observed, withinItself

    func close(_ scope: EnvironmentScope) async {
        switch self {
        case .plain: break
        case .withCleanup: scope.onClose {}
        case .observed: scope.observe { _ in }
        case .withinItself: return await scope { await scope.close() }
        }
        await scope.close()
    }
}

@Suite("R11: what a value reads in its deinit while its scope is closed")
struct LastReadTests {
    private let told = Box<[String]>([])

    private func makeScope(_ name: String, parent: EnvironmentScope?) -> EnvironmentScope {
        EnvironmentScope(name, parent: parent) { [told] scope in
            scope.report = { text in told.update { $0.append(text) } }
        }
    }

    @Test("It is given a value that the scope kept until then", arguments: Closing.allCases)
    fileprivate func keptValue(_ closing: Closing) async {
        let app = makeScope("app", parent: nil)
        #expect(app.tag == "default")
        _ = app.pool
        await closing.close(app)
        #expect(told.value == ["default"])
    }

    @Test("It is given a value that the scope decorates", arguments: Closing.allCases)
    fileprivate func decoratedValue(_ closing: Closing) async {
        let app = EnvironmentScope("app", parent: nil) { $0.tag = "app" }
        let request = makeScope("request", parent: app)
        request.provide(\.tag) { try $0.inherited(\.tag) + " request" }
        _ = request.pool
        await request { await closing.close(request) }
        #expect(told.value == ["app request"])
        withExtendedLifetime(app) {}
    }

    @Test("It is given a value that nobody has read before, which is not kept")
    func builtThen() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let runs = Box(0)
        app.provide(\.tag) { _ in
            runs.update { $0 += 1 }
            return "run \(runs.value)"
        }
        app.report = { [told] text in told.update { $0.append(text) } }
        _ = app.pool
        await app { await app.close() }
        #expect(told.value == ["run 1"])
        #expect(throws: ScopeError.self) { try app.value(for: \.tag) }
        #expect(told.value.count == 1)
    }

    @Test("A scope that was closed before gives none")
    func otherScope() async throws {
        let other = EnvironmentScope.empty("other", parent: nil)
        await other.close()
        let app = EnvironmentScope("app", parent: nil) { [told] scope in
            scope.report = { [unowned other] _ in
                let code = Result { () throws(ScopeError) in try other.value(for: \.tag) }.failureCode
                told.update { $0.append(code.map { "\($0)" } ?? "given") }
            }
        }
        _ = app.pool
        await app { await app.close() }
        #expect(told.value == ["closed"])
    }

    @Test("Once the scope is closed, a value that it would have to keep is an error again")
    func errorAfterwards() async throws {
        let app = makeScope("app", parent: nil)
        _ = app.pool
        await app { await app.close() }
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.tag) }
        #expect(error.code == .closed)
    }
}
