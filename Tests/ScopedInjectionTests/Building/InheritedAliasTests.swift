import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let paths = ScopeValue(["default"], name: "paths")
    fileprivate static let folders = ScopeValue(["unused"], name: "folders")
    fileprivate static let files = ScopeValue(["files"], name: "files")
    fileprivate static let listing = ScopeValue([""], name: "listing")
}

@Suite("R12, R14: inheriting a value through an alias of it")
struct InheritedAliasTests {
    private let root = EnvironmentScope("root", parent: nil) { $0.paths = ["root"] }
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        app = EnvironmentScope("app", parent: root) {
            $0.paths = ["app"]
            $0.alias(\.folders, to: \.paths)
        }
        request = EnvironmentScope.empty("request", parent: app)
    }

    // MARK: Outside of builders

    @Test("What the scope has set through the alias is skipped")
    func setThroughAlias() throws {
        request.folders = ["request"]
        #expect(request.paths == ["request"])
        #expect(try request.inherited(\.folders) == ["app"])
        #expect(try request.inherited(\.paths) == ["app"])
    }

    @Test("What the scope has provided through the alias is skipped")
    func providedThroughAlias() throws {
        request.provide(\.folders) { _ in ["request"] }
        #expect(try request.inherited(\.folders) == ["app"])
        app.removeValue(for: \.paths)
        #expect(try request.inherited(\.folders) == ["root"])
    }

    @Test("So is what it says of the alias itself, in whichever order")
    func aliasOfTheScopeItself() throws {
        app.removeAll()
        let other = EnvironmentScope.empty("other", parent: nil)
        other.provide(\.listing) { [request] _ in try request.inherited(\.folders) }
        app.alias(\.folders, to: \.paths)
        request.folders = ["request"]
        #expect(other.listing == ["root"])
        request.alias(\.folders, to: \.paths)
        #expect(other.listing == ["root"])
        request.alias(\.paths, to: \.files)
        #expect(other.listing == ["root"])
        #expect(try request.inherited(\.paths) == ["root"])
    }

    @Test("Aliases that a new parent closes to a circle are an error, not a hang")
    func circle() throws {
        let outer = EnvironmentScope.empty("outer", parent: nil)
        outer.alias(\.paths, to: \.folders)
        app.removeValue(for: \.paths)
        app.parent = outer
        #expect(try #require(throws: ScopeError.self) { try request.inherited(\.folders) }.code == .cycle)
        request.provide(\.files) { try $0.inherited(\.folders) }
        #expect(try #require(throws: ScopeError.self) { try request.value(for: \.files) }.code == .cycle)
        withExtendedLifetime(outer) {}
    }

    @Test("A builder that inherits through another scope follows the alias there")
    func changedAlias() {
        let other = EnvironmentScope.empty("other", parent: nil)
        other.provide(\.listing) { [request] _ in try request.inherited(\.folders) }
        request.paths = ["request"]
        request.files = ["request's files"]
        #expect(other.listing == ["app"])
        app.alias(\.folders, to: \.files)
        #expect(other.listing == ["files"])
        request.folders = ["more files"]
        app.files = ["app's files"]
        #expect(other.listing == ["app's files"])
    }

    // MARK: In builders

    @Test("A builder that is provided through an alias further out decorates the value")
    func decoratedThroughAlias() throws {
        request.provide(\.folders) { try $0.inherited(\.folders) + ["request"] }
        #expect(request.folders == ["app", "request"])
        #expect(request.paths == ["app", "request"])
        app.paths = ["changed"]
        #expect(request.folders == ["changed", "request"])
        app.removeValue(for: \.paths)
        let part = EnvironmentScope.empty("part", parent: request)
        #expect(part.folders == ["root", "request"])
    }

    @Test("A builder that is provided through an alias of the same scope decorates the value")
    func decoratedBesideAlias() throws {
        root.folders = ["root's folders"]
        app.provide(\.folders) { try $0.inherited(\.folders) + ["app"] }
        #expect(app.folders == ["root", "app"])
        #expect(request.paths == ["root", "app"])
        root.paths = ["changed"]
        #expect(request.folders == ["changed", "app"])
    }

    @Test("Each of several builders that are provided through an alias decorates the one before")
    func decoratedTwice() {
        app.provide(\.folders) { try $0.inherited(\.folders) + ["app"] }
        request.provide(\.folders) { try $0.inherited(\.folders) + ["request"] }
        #expect(request.paths == ["root", "app", "request"])
        app.removeAll()
        request.removeAll()
        #expect(request.paths == ["root"])
    }

    @Test("A builder that inherits an alias of its own value skips itself")
    func aliasOfItself() throws {
        request.provide(\.paths) { try $0.inherited(\.folders) + ["request"] }
        #expect(request.paths == ["app", "request"])
        #expect(request.folders == ["app", "request"])
        app.paths = ["changed"]
        #expect(request.paths == ["changed", "request"])
        app.alias(\.folders, to: \.files)
        #expect(request.paths == ["files", "request"])
        #expect(request.folders == ["files"])
    }

    @Test("A builder that inherits an alias of an alias of its own value skips itself")
    func aliasOfAliasOfItself() throws {
        app.alias(\.files, to: \.folders)
        request.provide(\.paths) { try $0.inherited(\.files) + ["request"] }
        #expect(request.paths == ["app", "request"])
        #expect(request.files == ["app", "request"])
        request.removeAll()
        request.files = ["request"]
        #expect(try request.inherited(\.files) == ["app"])
        request.provide(\.files) { try $0.inherited(\.files) + ["request"] }
        #expect(request.folders == ["app", "request"])
    }

    @Test("What a builder inherits through an alias of another value is what the asking scope has")
    func aliasOfAnother() throws {
        app.provide(\.listing) { try $0.inherited(\.folders) + ["listing"] }
        root.alias(\.folders, to: \.files)
        request.files = ["request's files"]
        #expect(request.listing == ["request's files", "listing"])
        #expect(app.listing == ["files", "listing"])
    }
}
