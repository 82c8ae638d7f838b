import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var payments: ScopeValue<String> { .required() }
    fileprivate static var clock: ScopeValue<Int> { .lazy(.transient) { _ in 0 } }
}

@Suite("Observers are told of what is provided twice before the first builder has built anything", .programRoots)
struct ProvidedTwiceTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let events: Box<[ScopeEvent]>

    init() { events = app.events(of: .providedTwice) }

    private func provide(in scope: EnvironmentScope? = nil, line: UInt) {
        (scope ?? app).provide(\.payments, fileID: "Shop/Modules.swift", line: line) { _ in "\(line)" }
    }

    @Test("With both places; the later builder counts") func twice() {
        provide(line: 5)
        provide(line: 9)
        provide(line: 12)
        #expect(app.payments == "12")
        #expect(
            events.value.map { "\($0)" } == [
                #"payments (String) was provided twice in "app": at Shop/Modules.swift:5, and then at Shop/Modules.swift:9, which counts"#,
                #"payments (String) was provided twice in "app": at Shop/Modules.swift:9, and then at Shop/Modules.swift:12, which counts"#,
            ]
        )
        #expect(events.value.map(\.location?.line) == [9, 12])
    }

    @Test("Also in a scope further in, under decorations, and where all reads have failed") func also() {
        let request = EnvironmentScope.empty("request", parent: app)
        provide(in: request, line: 1)
        request.decorate(\.payments) { payments, _ in payments + "!" }
        provide(in: request, line: 2)
        #expect(events.value.map(\.scope) == ["request"])
        #expect(request.payments == "2!")
        app.provide(\.payments) { _ in throw CancellationError() }
        #expect(throws: ScopeError.self) { try app.value(for: \.payments) }
        provide(line: 3)
        #expect(events.value.map(\.scope) == ["request", "app"])
    }

    @Test("Not once something was built by the first, also for a scope further in") func built() {
        provide(line: 1)
        _ = EnvironmentScope.empty("request", parent: app).payments
        provide(line: 2)
        #expect(events.value.isEmpty)
    }

    @Test("Not of two scopes, of a set, a decoration, after a removal, or of a transient value") func others() {
        provide(line: 1)
        provide(in: .empty("request", parent: app), line: 2)
        app.payments = "set"
        provide(line: 3)
        app.decorate(\.payments) { payments, _ in payments }
        app.removeValue(for: \.payments)
        provide(line: 5)
        for _ in 0..<2 { app.provide(\.clock) { _ in 1 } }
        #expect(events.value.isEmpty)
    }

    @Test("Not within an update") func update() throws {
        provide(line: 1)
        try app.update {
            provide(in: $0, line: 2)
            provide(in: $0, line: 3)
        }
        #expect(app.payments == "3")
        #expect(events.value.isEmpty)
    }
}
