import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static var file: ScopeValue<Box<String>> { .required() }
    fileprivate static var tenant: ScopeValue<String> { .value("nobody") }
    fileprivate static var config: ScopeValue<String> { .lazy { try $0.file.value } }
    fileprivate static var client: ScopeValue<String> { .lazy { "\(try $0.config) for \(try $0.tenant)" } }
    fileprivate static var page: ScopeValue<Product> { .lazy { Product("page of \(try $0.client)") } }
    fileprivate static var other: ScopeValue<Product> { .lazy { Product("other of \(try $0.tenant)") } }
    fileprivate static var probed: ScopeValue<String> {
        .lazy { reader in
            let text = try reader.config
            try reader.probe.noteBuild()
            return text
        }
    }
    fileprivate static var probedFile: ScopeValue<String> {
        .lazy { reader in
            let text = try reader.file.value
            try reader.probe.noteBuild()
            return text
        }
    }
}

@Suite("R11: what is discarded takes along what was built from it")
struct DiscardTests {
    private let file = Box("old")
    private let app: EnvironmentScope
    private let tenant: EnvironmentScope

    init() {
        let file = file
        app = EnvironmentScope("app", parent: nil) { $0.file = file }
        tenant = EnvironmentScope("tenant", parent: app) { $0.tenant = "north" }
    }

    private func discard(_ way: Int) async {
        file.value = "new"
        switch way {
        case 0: await app.discardBuiltValues()
        case 1: await app.discardBuiltValue(for: \.config)
        default: app.removeValue(for: \.config)
        }
    }

    @Test("A discard takes along what a scope further in keeps, directly or not", arguments: 0..<3)
    func furtherIn(way: Int) async {
        #expect(tenant.page.text == "page of old for north")
        let other = tenant.other
        #expect(tenant.explain(\.page).keptIn == "tenant")
        await discard(way)
        #expect(tenant.page.text == "page of new for north")
        #expect(tenant.config == "new")
        #expect(tenant.other === other)
    }

    @Test("A discard takes along what the scope itself keeps, but nothing else", arguments: 1..<3)
    func here(way: Int) async {
        #expect(app.page.text == "page of old for nobody")
        let other = app.other
        await discard(way)
        #expect(app.page.text == "page of new for nobody")
        #expect(app.other === other)
    }

    @Test("What was built from another one of the same value stays")
    func ownInput() async {
        tenant.file = Box("own")
        let page = tenant.page
        _ = app.config
        await discard(0)
        #expect(tenant.page === page)
        #expect(page.text == "page of own for north")
    }

    @Test("What is built after the discard is kept", arguments: 0..<3)
    func afterwards(way: Int) async {
        _ = tenant.page
        await discard(way)
        let page = tenant.page
        app.port = 1
        #expect(tenant.page === page)
        await discard(way)
        #expect(tenant.page !== page)
    }

    @Test("A build under way that has read what is discarded runs again, and is not kept", arguments: 0..<3)
    func underWay(way: Int) async {
        await overlap(\.probed, way)
    }

    @Test("A build under way of what is discarded runs again, and is not kept")
    func ownBuild() async {
        await overlap(\.probedFile, 0)
    }

    private func overlap(_ value: any KeyPath<ScopeValues.Type, ScopeValue<String>> & Sendable, _ way: Int) async {
        let probe = Probe()
        app.probe = probe
        let app = app
        let read = onThread { #expect(app.value(of: value) == "new") }
        await probe.started.passed()
        await discard(way)
        probe.mayEnd.open()
        await read.passed()
        #expect(app.value(of: value) == "new")
        #expect(probe.builds.load(ordering: .relaxed) == 2)
    }
}

extension EnvironmentScope {
    fileprivate func value(of value: KeyPath<ScopeValues.Type, ScopeValue<String>>) -> String {
        self[ScopeValues.self[keyPath: value]]
    }
}
