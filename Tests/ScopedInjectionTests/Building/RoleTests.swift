import ScopedInjection
import Testing

extension ScopeRole { fileprivate static var tenant: ScopeRole { ScopeRole() } }

extension ScopeValues {
    fileprivate static var limit: ScopeValue<Int> { .value(10) }
    fileprivate static var customer: ScopeValue<String> { .value("nobody", isSafeInTests: true) }
    fileprivate static var database: ScopeValue<Thing> { .lazy { Thing("database \(try $0.limit)") } }
    fileprivate static var transaction: ScopeValue<Thing> {
        .lazy(.once(in: .request)) { reader in
            let place = "\(EnvironmentScope.current.name ?? "-") \(EnvironmentScope.forLogging.name ?? "-")"
            return Thing("transaction of \(try reader.customer) in \(place)", try reader.database)
        }
    }
    fileprivate static var unit: ScopeValue<Thing> { .lazy(.once(in: .request)) { Thing("unit", try $0.transaction) } }
    fileprivate static var plain: ScopeValue<Thing> { .lazy { Thing("plain", try $0.transaction) } }
    fileprivate static var pool: ScopeValue<Thing> {
        .lazy(.once(in: .application), isSafeInTests: true) { _ in Thing("pool") }
    }
    fileprivate static var shop: ScopeValue<Thing> { .lazy(.once(in: .tenant)) { _ in Thing("shop") } }
    fileprivate static var installed: ScopeValue<Thing> { .required(.once(in: .request)) }
    fileprivate static var stand: ScopeValue<Thing> { .required() }
    fileprivate static var circle: ScopeValue<Thing> { .lazy(.once(in: .request)) { try $0.otherHalf } }
    fileprivate static var otherHalf: ScopeValue<Thing> { .lazy { try $0.circle } }
    fileprivate static func cart(_ name: String) -> ScopeValue<Thing> {
        .lazy(.once(in: .request), id: name) { _ in Thing(name) }
    }
    fileprivate static var counted: ScopeValue<Thing> {
        .lazy(.once(in: .request)) { reader in
            try reader.log.add("begun")
            for _ in 0..<200 { _ = try reader.limit }
            return Thing("counted")
        }
    }
    fileprivate static var onCounted: ScopeValue<Thing> { .lazy { Thing("on counted", try $0.counted) } }
}

@Suite("R17: a value that is begun once stays in the nearest scope of its role", .programRoots)
struct RoleTests {
    private let app = EnvironmentScope.empty("app", role: .application, parent: nil)
    private let request: EnvironmentScope
    private let child: EnvironmentScope

    init() {
        request = EnvironmentScope("request", role: .request, parent: app) { $0.customer = "Ada" }
        child = EnvironmentScope("child", parent: request) { ($0.limit, $0.customer) = (1, "Eve") }
    }

    @Test("It is built as the scope of its role sees, whichever scope further in asked first") func asTheKeeperSees() {
        let transaction = child.transaction
        #expect(transaction.text == "transaction of Ada in request request")
        #expect(transaction.other?.text == "database 10")
        #expect(request.localValue(for: \.transaction) === transaction)
        #expect(request.transaction === transaction)
    }

    @Test("It is built once, and another one for each scope of the role, further in too") func innerRole() {
        let inner = EnvironmentScope.empty("inner", role: .request, parent: child)
        let transaction = inner.transaction
        #expect(transaction.text == "transaction of Eve in inner inner")
        #expect(request.transaction !== transaction)
        #expect(inner.plain.other === transaction)
        #expect(child.plain.other === request.transaction)
        #expect(inner.pool === app.pool)
    }

    @Test("A role can be declared, and a value of a family stays for each id") func declared() {
        let tenant = EnvironmentScope.empty("tenant", role: .tenant, parent: app)
        let request = EnvironmentScope.empty("request", role: .request, parent: tenant)
        #expect(request.shop === tenant.shop)
        #expect(request.shop !== EnvironmentScope.empty("other", role: .tenant, parent: app).shop)
        #expect(ScopeRole.tenant == .tenant && ScopeRole.tenant != .request)
        #expect("\(ScopeRole.tenant)" == "tenant")
        #expect(child[ScopeValues.cart("a")] === self.request[ScopeValues.cart("a")])
        #expect(child[ScopeValues.cart("a")] !== child[ScopeValues.cart("b")])
    }

    @Test("Without a scope of the role it is an error, which names the role, also where somebody provides it")
    func noRole() throws {
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.plain) }
        #expect(error.code == .roleMissing)
        let text =
            "No value for transaction (Thing): it is kept in the nearest scope of the role request, and none has that role."
        #expect(error.description.hasPrefix(text))
        #expect(error.path == ["plain", "transaction"])
        let whole = """
              To fix it: read it in a scope that was made for it (app.withChild(role: .request) { … }), \
            or set it (scope.transaction = …).
            """
        #expect(error.description.hasSuffix(whole))
        app.provide(\.installed) { _ in Thing("installed") }
        let provided = try #require(throws: ScopeError.self) { try app.value(for: \.installed) }.description
        #expect(provided.contains("it is provided, but kept in the nearest scope of the role request"))
        #expect(provided.contains("\n  Provided at: ScopedInjectionTests/RoleTests.swift:"))
        #expect(provided.hasSuffix("; a builder does not change where a value is kept."))
        app.transaction = Thing("set")
        #expect(try app.value(for: \.plain).other?.text == "set")
    }

    @Test("What a module provides further out is run for the scope of the role") func provided() {
        app.provide(\.installed) { Thing("installed for \(try $0.customer)") }
        #expect(child.installed.text == "installed for Ada")
        #expect(request.localValue(for: \.installed) === child.installed)
        #expect(app.localValue(for: \.installed) == nil)
    }

    @Test("What is set or provided nearer than the scope of the role counts there, and stays there") func nearer() {
        let begun = request.plain
        let faked = EnvironmentScope("faked", parent: request) { $0.transaction = Thing("fake") }
        #expect(faked.transaction.text == "fake" && faked.plain.other?.text == "fake")
        let providing = EnvironmentScope("providing", parent: request) { scope in
            scope.provide(\.transaction) { Thing("of \(try $0.customer)") }
        }
        let deeper = EnvironmentScope("deeper", parent: providing) { $0.customer = "Deep" }
        let transaction = deeper.transaction
        #expect(transaction.text == "of Ada")
        request.customer = "Bob"
        #expect(providing.localValue(for: \.transaction) === transaction)
        #expect(deeper.transaction === transaction)
        #expect(request.plain === begun)
    }

    @Test("A decoration keeps its own result: nearer over the role's value, further out as a part of it")
    func decorated() {
        let decorating = EnvironmentScope("decorating", parent: request) { scope in
            scope.decorate(\.transaction) { inner, _ in Thing("decorated", inner) }
        }
        let decorated = decorating.transaction
        #expect(decorated.other === request.transaction)
        #expect(decorating.localValue(for: \.transaction) === decorated)
        app.limit = 20
        #expect(decorating.transaction === decorated)
        app.decorate(\.transaction) { inner, _ in Thing("outer", inner) }
        let fresh = EnvironmentScope.empty("fresh", role: .request, parent: app)
        #expect(fresh.transaction.text == "outer")
        #expect(fresh.transaction.other?.text == "transaction of nobody in fresh fresh")
        #expect(fresh.localValue(for: \.transaction) === fresh.transaction)
    }

    @Test("An alias of it is read as it is, and an alias for it begins as a provider's value does") func aliased() {
        request.alias(\.stand, to: \.transaction)
        #expect(child.stand === request.transaction)
        app.alias(\.installed, to: \.pool)
        #expect(child.installed === app.pool)
        #expect(request.localValue(for: \.installed) === app.pool)
    }

    @Test("One that needs itself is a cycle", arguments: [true, false]) func cycle(isInside: Bool) throws {
        let error = try #require(throws: ScopeError.self) {
            try isInside ? child.value(for: \.otherHalf) : request.value(for: \.circle)
        }
        #expect(error.code == .cycle)
    }

    @Test("The policy of defaults is that of its scope, too") func policy() {
        let forbidding = EnvironmentScope.empty("request", role: .request, parent: app, defaults: .forbidden)
        let error = #expect(throws: ScopeError.self) {
            try EnvironmentScope.empty("child", parent: forbidding).value(for: \.unit)
        }
        #expect(error?.code == .defaultForbidden)
    }

    @Test("It is begun once, however many scopes ask at once and whatever they override", arguments: 0..<20)
    func threads(_ round: Int) async {
        let log = Log()
        app.log = log
        let requests = (0..<3).map { EnvironmentScope.empty("request \($0)", role: .request, parent: app) }
        let found = await withTaskGroup(of: (Int, ObjectIdentifier).self) { group in
            for index in 0..<24 {
                group.addTask {
                    let child = EnvironmentScope("child", parent: requests[index % 3]) { child in
                        if index % 4 == 0 { child.limit = index }
                    }
                    let counted = index % 2 == 0 ? child.counted : child.onCounted.other
                    return (index % 3, ObjectIdentifier(counted ?? Thing("none")))
                }
            }
            var found: [Int: Set<ObjectIdentifier>] = [:]
            for await (index, counted) in group { found[index, default: []].insert(counted) }
            return found
        }
        #expect(found.values.allSatisfy { $0.count == 1 })
        #expect(log.lines.count == 3)
    }

    @Test("A scope tells its role")
    func property() { #expect([app.role, request.role, child.role] == [.application, .request, nil]) }

    @Test("A scope of the role application may be the global one, and keeps what is below it; another may not")
    func global() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            useProgramRoots()
            let app = EnvironmentScope("app", role: .application, parent: nil) { $0.limit = 3 }
            EnvironmentScope.global = app
            let request = EnvironmentScope.empty("request", role: .request)
            precondition(EnvironmentScope.current.pool === app.pool && request.limit == 3)
            EnvironmentScope.global = .empty("other", role: .application, parent: nil)
            precondition(request.parent === app && request.limit == 3 && EnvironmentScope.current.limit == 10)
            EnvironmentScope.global = EnvironmentScope.empty("tenant", role: .tenant, parent: nil)
        }
        let text = """
            "tenant" has another role than application, so it cannot be the global scope.
              To fix it: make it with role: .application, or without role:.
            """
        expect(result, saysExactly: text)
    }

    @Test("validate leaves out what needs a role further in, and begins nothing that stays unless it is named")
    func validate() async throws {
        app.provide(\.installed) { _ in Thing("installed") }
        app.provide(\.stand) { try $0.transaction }
        try app.validate()
        try await app.prepare()
        #expect(throws: ScopeError.self) { try app.validate(\.installed) }
        app.provide(\.stand) { try $0.pool }
        try app.validate()
        #expect(app.localValue(for: \.pool) == nil)
        try app.validate(\.pool)
        #expect(app.localValue(for: \.pool) != nil)
    }

    @Test("validateChild can be given a role") func validateChild() async throws {
        struct Handler { @Injected(\.unit) var unit }
        try await app.validateChild("request", role: .request, of: Handler()) { $0.customer = "Ada" }
        await #expect(throws: ScopeError.self) { try await app.validateChild("job", of: Handler()) { _ in } }
    }
}
