import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static var tenant: ScopeValue<String> { .value("nobody") }
    /// What a file says, which no scope knows of.
    fileprivate static func config(_ file: Box<String>) -> ScopeValue<String> {
        .lazy(id: ObjectIdentifier(file)) { _ in file.value }
    }
    fileprivate static func client(_ file: Box<String>) -> ScopeValue<String> {
        .lazy(id: ObjectIdentifier(file)) { "\(try $0[config(file)]) for \(try $0.tenant)" }
    }
    fileprivate static func page(_ file: Box<String>) -> ScopeValue<Product> {
        .lazy(id: ObjectIdentifier(file)) { Product("page of \(try $0[client(file)])") }
    }
    /// Survives the failure of the configuration.
    fileprivate static func survivor(_ file: Box<String>) -> ScopeValue<Product> {
        .lazy(id: ObjectIdentifier(file)) { Product("\(try $0.tenant) \((try? $0[config(file)]) ?? "without")") }
    }
    fileprivate static var other: ScopeValue<Product> { .lazy { Product("other of \(try $0.tenant)") } }
}

/// How a scope is made to let go of what it keeps.
private enum Discard: CaseIterable { case everything, oneValue, removed }

@Suite("R3: a discard reaches what was built from the value, and nothing else", .programRoots)
struct DiscardTests {
    private let file = Box("old")
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let tenant: EnvironmentScope
    private let (config, page): (ScopeValue<String>, ScopeValue<Product>)

    init() {
        tenant = EnvironmentScope("tenant", parent: app) { $0.tenant = "north" }
        (config, page) = (ScopeValues.config(file), ScopeValues.page(file))
    }

    private func discard<Value>(_ value: ScopeValue<Value>, _ way: Discard) async {
        file.value = "new"
        switch way {
        case .everything: await app.discardBuiltValues()
        case .oneValue: await app.discardBuiltValues({ _ in value })
        case .removed: app.removeValue { _ in value }
        }
    }

    // MARK: What it reaches

    @Test("A discard takes along what a scope further in keeps, directly or not", arguments: Discard.allCases)
    private func furtherIn(way: Discard) async {
        #expect(tenant[page].text == "page of old for north")
        let other = tenant.other
        #expect(tenant.explain({ _ in page }).keptIn == "tenant")
        await discard(config, way)
        #expect(tenant[page].text == "page of new for north" && tenant[config] == "new")
        #expect(tenant.other === other)
    }

    @Test("A discard takes along what a scope further in has built over a decoration", arguments: Discard.allCases)
    private func underDecoration(way: Discard) async {
        tenant.decorate({ _ in config }) { inherited, _ in inherited + "!" }
        #expect((app[config], tenant[page].text) == ("old", "page of old! for north"))
        await discard(config, way)
        #expect((tenant[page].text, app[config]) == ("page of new! for north", "new"))
    }

    @Test("A discard takes along what the scope keeps, but nothing else", arguments: [Discard.oneValue, .removed])
    private func here(way: Discard) async {
        app.decorate(\.other) { inherited, _ in inherited }
        #expect(app[page].text == "page of old for nobody")
        let other = app.other
        await discard(config, way)
        #expect(app[page].text == "page of new for nobody" && app.other === other)
        await app.discardBuiltValues(\.other)
        #expect(app.other !== other)
    }

    @Test("What is built after the discard is kept", arguments: Discard.allCases)
    private func afterwards(way: Discard) async {
        _ = tenant[page]
        await discard(config, way)
        let page = tenant[page]
        app.port = 1
        #expect(tenant[self.page] === page)
        await discard(config, way)
        #expect(tenant[self.page] !== page)
    }

    // MARK: What it leaves alone

    @Test("What was built from another one of the same value stays", arguments: Discard.allCases)
    private func ownInput(way: Discard) async {
        tenant[config] = "own"
        _ = app[config]
        let page = tenant[page]
        await discard(config, way)
        #expect(tenant[self.page] === page)
        #expect(page.text == "page of own for north")
    }

    @Test("What was built from another value in its place, or without it, stays when the value is discarded")
    func notReached() async {
        let other = ScopeValues.config(Box("other"))
        tenant.provide({ _ in config }) { try $0[other] }
        let request = EnvironmentScope("request", parent: app) { $0.tenant = "south" }
        request.provide({ _ in config }) { _ in throw CancellationError() }
        let (page, survivor, value) = (tenant[page], request[ScopeValues.survivor(file)], app[config])
        #expect((page.text, survivor.text, value) == ("page of other for north", "south without", "old"))
        await discard(config, .oneValue)
        #expect(tenant[self.page] === page)
        #expect(request[ScopeValues.survivor(file)] === survivor)
    }

    // MARK: Builds under way

    @Test("A build under way of what is discarded runs again, and is not kept", arguments: Discard.allCases)
    private func ownBuild(way: Discard) async {
        let (file, probe) = (file, Probe())
        let value = ScopeValue<String>.lazy(id: ObjectIdentifier(probe)) { _ in
            let text = file.value
            probe.noteBuild()
            return text
        }
        await overlap(value, probe, in: app, gives: "new") { await discard(value, way) }
    }

    @Test("A build under way that has read what is discarded runs again, and is not kept", arguments: Discard.allCases)
    private func underWay(way: Discard) async {
        let (config, probe) = (config, Probe())
        let value = ScopeValue<String>.lazy(id: ObjectIdentifier(probe)) { reader in
            let text = try reader[config]
            probe.noteBuild()
            return text
        }
        await overlap(value, probe, in: app, gives: "new") { await discard(config, way) }
    }

    @Test("So does one below a decoration that is kept further out than its last run told", arguments: Discard.allCases)
    private func furtherOut(way: Discard) async {
        let (file, probe) = (file, Probe())
        let value = ScopeValue<String>.lazy(id: ObjectIdentifier(probe)) { reader in
            let text = file.value
            if text == "near" { return try reader.tenant }
            probe.noteBuild()
            return text
        }
        tenant.decorate({ _ in value }) { inherited, _ in inherited + "!" }
        file.value = "near"
        #expect(tenant[value] == "north!")
        await tenant.discardBuiltValues()
        file.value = "old"
        await overlap(value, probe, in: tenant, gives: "new!") { await discard(value, way) }
    }

    private func overlap(
        _ value: ScopeValue<String>,
        _ probe: Probe,
        in scope: EnvironmentScope,
        gives text: String,
        runs: Int = 2,
        after discard: @escaping @Sendable () async -> Void
    ) async {
        let read = onThread { #expect(scope[value] == text) }
        await probe.started.passed()
        // It waits for what it throws away.
        let discarding = startAtOnce { await discard() }
        probe.mayEnd.open()
        await discarding.value
        await read.passed()
        #expect(scope[value] == text)
        #expect(probe.builds.load(ordering: .relaxed) == runs)
    }

    @Test("A discard further out leaves alone what is being built for a scope below", arguments: Discard.allCases)
    private func builtBelow(way: Discard) async {
        let (probe, tenant) = (Probe(), tenant)
        let value = ScopeValue<String>.lazy(id: ObjectIdentifier(probe)) { reader in
            let text = try reader.tenant
            probe.noteBuild()
            return text
        }
        await overlap(value, probe, in: tenant, gives: "north", runs: 1) { await discard(value, way) }
        #expect(tenant.localValue(for: { _ in value }) == "north")
    }

    @Test("A discard of one value leaves alone a build of another one", arguments: [Discard.oneValue, .removed])
    private func otherBuild(way: Discard) async {
        let probe = Probe()
        let value = ScopeValue<String>.lazy(id: ObjectIdentifier(probe)) { _ in
            probe.noteBuild()
            return "built"
        }
        await overlap(value, probe, in: app, gives: "built", runs: 1) { await discard(config, way) }
    }
}
