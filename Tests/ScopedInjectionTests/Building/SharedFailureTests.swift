import Foundation
import Testing

@testable import ScopedInjection

private struct Refusal: Error {}

/// The first run of a builder, which goes on once another read waits for it.
private final class FirstRun: Sendable {
    private let isFirst = Box(true)
    let started = Gate()

    func awaits(in scope: EnvironmentScope) {
        let isFirst = isFirst.update { first in
            defer { first = false }
            return first
        }
        guard isFirst else { return }
        started.open()
        while scope.build?.withShared({ $0.waiting.isEmpty }) == true { sched_yield() }
    }
}

@Suite("R2, R3, R5: a build that fails for several readers at once")
struct SharedFailureTests {
    private let root = EnvironmentScope.empty("root", parent: nil)
    private let app: EnvironmentScope
    private let request: EnvironmentScope
    private let text = ScopeValue("default", name: "text")
    /// Fails for the text of the app; the first run waits until another read waits for it.
    private let failing: ScopeValue<String>
    private let firstRun = FirstRun()

    init() {
        app = .empty("app", parent: root)
        request = .empty("request", parent: app)
        app[text] = "app"
        failing = ScopeValue(name: "failing") { [text, firstRun] scope in
            let text = scope[text]
            guard text == "app" else { return text }
            firstRun.awaits(in: scope)
            throw Refusal()
        }
    }

    /// Reads a value in a scope that waits for the failing one, which is read in another scope meanwhile.
    private func read(_ value: ScopeValue<String>, in scope: EnvironmentScope, whileFailingIn other: EnvironmentScope)
        -> String
    {
        let reader = onThread { [failing] in _ = try? other.value(for: failing) }
        firstRun.started.wait()
        defer { reader.wait() }
        return scope[value]
    }

    private func without(_ failing: ScopeValue<String>) -> ScopeValue<String> {
        ScopeValue(name: "without") { scope in (try? scope.value(for: failing)) ?? "without" }
    }

    @Test("What is built without it is kept where its inputs lie, if a scope further in fails")
    func furtherIn() {
        let value = without(failing)
        #expect(read(value, in: app, whileFailingIn: request) == "without")
        #expect(app.localValue(for: value) == "without")
        #expect(root[value] == "default")
    }

    @Test("So it is if a scope further out fails")
    func furtherOut() {
        let value = without(failing)
        #expect(read(value, in: request, whileFailingIn: app) == "without")
        #expect(request.localValue(for: value) == nil)
        #expect(app.localValue(for: value) == "without")
    }

    @Test("What is built without it, through a scope of the builder's own, follows its inputs")
    func throughMadeScope() {
        let value = ScopeValue(name: "without") { [failing] scope in
            (try? EnvironmentScope.empty(parent: scope).value(for: failing)) ?? "without"
        }
        #expect(read(value, in: app, whileFailingIn: app) == "without")
        app[text] = "other"
        #expect(app[value] == "other")
    }

    @Test("What is built without a scoped value is for one scope, also if another read of that met the error")
    func scoped() {
        let scoped = ScopeValue<String>(.scoped, name: "scoped") { [firstRun] scope in
            firstRun.awaits(in: scope)
            throw Refusal()
        }
        let value = without(scoped)
        let reader = onThread { [request] in _ = try? request.value(for: scoped) }
        firstRun.started.wait()
        #expect(request[value] == "without")
        reader.wait()
        #expect(request.localValue(for: value) == "without")
        #expect(app.localValue(for: value) == nil)
    }

    @Test("Threads of one scope share the failure of what needs a scoped value")
    func needingScoped() {
        let runs = Box(0)
        let scoped = ScopeValue<String>(.scoped, name: "scoped") { _ in throw Refusal() }
        let needing = ScopeValue<String>(name: "needing") { [firstRun] scope in
            runs.update { $0 += 1 }
            let outcome = Result { try scope.value(for: scoped) }
            firstRun.awaits(in: scope)
            return try outcome.get()
        }
        let value = without(needing)
        let reader = onThread { [request] in _ = try? request.value(for: needing) }
        firstRun.started.wait()
        #expect(request[value] == "without")
        reader.wait()
        #expect(runs.value == 1)
        #expect(request.localValue(for: value) == "without")
        #expect(app.localValue(for: value) == nil)
    }

    @Test("An error that leads to the scope of one reader is not given to another")
    func errorWithScope() {
        struct Held: Error { let scope: EnvironmentScope }
        let other = EnvironmentScope("other", parent: app) { $0.host = "other" }
        request.host = "request"
        let value = ScopeValue<String>(name: "held") { [firstRun] scope in
            firstRun.awaits(in: scope)
            throw Held(scope: scope)
        }
        @Sendable func host(in scope: EnvironmentScope) -> String? {
            let result = Result { () throws(ScopeError) in try scope.value(for: value) }
            guard case .failure(let error) = result else { return nil }
            return (error.underlyingError as? Held)?.scope.host
        }
        let reader = onThread { [request] in #expect(host(in: request) == "request") }
        firstRun.started.wait()
        #expect(host(in: other) == "other")
        reader.wait()
    }

    @Test("A read that waits for a build around one that is given up builds anew")
    func givenUp() async {
        await #expect(processExitsWith: .success) {
            let (firstRun, isGivenUp) = (FirstRun(), Gate())
            let inner = ScopeValue<String>(name: "inner") { _ in
                EnvironmentScope.abandonBuilds(for: ScopeError(.invalid, detail: "given up"))
                isGivenUp.open()
                while true { sleep(1_000) }
            }
            let isFirst = Box(true)
            let outer = ScopeValue<String>(name: "outer") { scope in
                guard isFirst.value else { return "built anew" }
                firstRun.awaits(in: scope)
                isFirst.value = false
                return try scope.value(for: inner)
            }
            let app = EnvironmentScope.empty("app", parent: nil)
            Thread.detachNewThread { _ = try? app.value(for: outer) }
            firstRun.started.wait()
            #expect((try? app.value(for: outer)) == "built anew")
            isGivenUp.wait()
        }
    }

    @Test("A scoped value that a closed scope refuses may be kept in one further in")
    func refusedScoped() async {
        let own = ScopeValue<Log>(.scoped, name: "own") { _ in Log() }
        let value = ScopeValue<String>(name: "value") { [firstRun] scope in
            firstRun.awaits(in: scope)
            guard (try? scope.value(for: own)) != nil else { throw Refusal() }
            return "built"
        }
        await request.close()
        let part = EnvironmentScope.empty("part", parent: request)
        let reader = onThread { [request] in #expect(throws: ScopeError.self) { try request.value(for: value) } }
        firstRun.started.wait()
        #expect((try? part.value(for: value)) == "built")
        reader.wait()
    }
}
