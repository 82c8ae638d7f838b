import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let missing = ScopeValue<Int>.required(name: "missing")
    fileprivate static let renamed = ScopeValue<Int>.required(name: "renamed")
    fileprivate static let number = ScopeValue(1, name: "number")
}

@Suite("R10: the problem of an explanation is the error of the read")
struct ExplainedProblemTests {
    /// Expects that, and that the text has a part.
    private func expectSame(
        _ value: ScopeValue<Int>,
        _ scope: EnvironmentScope,
        says part: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let problem = scope.explain(value).problem?.description
        let error = #expect(throws: ScopeError.self, sourceLocation: sourceLocation) { try scope.value(for: value) }
        #expect(problem == error?.description, sourceLocation: sourceLocation)
        #expect(problem?.contains(part) == true, sourceLocation: sourceLocation)
    }

    @Test("Of an alias, it says what it is an alias of")
    func alias() {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.alias(\.renamed, to: \.missing)
        expectSame(ScopeValues.renamed, app, says: "No value for renamed (Int), an alias of missing (Int)")
    }

    @Test("Of an alias of what a scope that is gone may have, too")
    func aliasBelowGone() {
        let child = {
            let app = EnvironmentScope.empty("app", parent: nil)
            let child = EnvironmentScope.empty("child", parent: app)
            child.alias(\.renamed, to: \.missing)
            return child
        }()
        expectSame(ScopeValues.renamed, child, says: #""app", the parent of "child", is gone"#)
    }

    @Test("Of several scopes that forbid a default, it names the outermost")
    func forbidden() {
        let app = EnvironmentScope.empty("app", parent: nil, defaults: .forbidden)
        let child = EnvironmentScope.empty("child", parent: app, defaults: .forbidden)
        expectSame(ScopeValues.number, child, says: #""app" forbids defaults"#)
    }

    @Test("Of several scopes that are closed, it names the one that would keep the value")
    func closed() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let child = EnvironmentScope.empty("child", parent: app)
        await child.close()
        await app.close()
        expectSame(ScopeValues.number, child, says: #""app" is closed"#)
    }
}
