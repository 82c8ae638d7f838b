import Foundation
import Testing

@testable import ScopedInjection

private struct Failure: Error {}

/// A builder lets another thread read a value that needs the one being built: that read fails, and the build does not.
@Suite("R2, R6: what is built from a cycle that ends with another thread's build")
struct PassingCycleTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let number = ScopeValue(1, name: "number")
    /// The first run of its builder reads `read` on another thread, and waits for it.
    private let main: ScopeValue<String>
    private let read = Box<(@Sendable (EnvironmentScope) -> Void)?>(nil)
    private let runs = Box<[String]>([])

    init() {
        main = ScopeValue(name: "main") { [read, runs] scope in
            runs.update { $0.append("main") }
            if let read = read.update({ $0.take() }) { onThread { read(scope) }.wait() }
            return "main"
        }
    }

    /// A value that goes without the main one where that cannot be had.
    private func fallback() -> ScopeValue<String> {
        ScopeValue(name: "fallback") { [main, number, runs] scope in
            runs.update { $0.append("fallback") }
            return "\(scope[number]) with \((try? scope.value(for: main)) ?? "nothing")"
        }
    }

    /// Builds the main value, whose builder meanwhile reads another one on another thread.
    private func readWithinMain(_ value: ScopeValue<String>) -> String {
        let seen = Box("")
        read.value = { scope in seen.value = scope[value] }
        #expect(app[main] == "main")
        return seen.value
    }

    @Test("A builder that goes without the value is asked again once that is there, and then no more")
    func swallowed() {
        let fallback = fallback()
        #expect(readWithinMain(fallback) == "1 with nothing")
        #expect(app.localValue(for: fallback) == nil)
        for _ in 0..<2 { #expect(app[fallback] == "1 with main") }
        #expect(runs.value == ["main", "fallback", "fallback"])
    }

    @Test("So is what is built from its value, whatever lies between", arguments: [ValueLifetime.shared, .transient])
    func builtFrom(lifetime: ValueLifetime) {
        let fallback = fallback()
        let between = ScopeValue(lifetime, name: "between") { scope in scope[fallback] }
        let outer = ScopeValue(name: "outer") { scope in scope[between] + "!" }
        #expect(readWithinMain(outer) == "1 with nothing!")
        for _ in 0..<2 { #expect(app[outer] == "1 with main!") }
        #expect(runs.value == ["main", "fallback", "fallback"])
    }

    @Test("The value whose build it was is kept, and follows what was read for it")
    func waited() {
        let fallback = fallback()
        _ = readWithinMain(fallback)
        for _ in 0..<2 { #expect(app[main] == "main") }
        #expect(runs.value == ["main", "fallback"])
        app[number] = 2
        #expect(app[main] == "main")
        #expect(runs.value == ["main", "fallback", "main"])
    }

    @Test("A third thread that waits for it is not given its error")
    func thirdThread() {
        let reached = Gate()
        let failing = ScopeValue(name: "failing") { [main] scope in
            do {
                return try scope.value(for: main)
            } catch {
                reached.open()
                while scope.build?.withShared({ $0.waiting.isEmpty }) == true { sched_yield() }
                throw Failure()
            }
        }
        let seen = Box<String?>(nil)
        let third = onThread { [app] in
            reached.wait()
            seen.value = try? app.value(for: failing)
        }
        read.value = { scope in #expect(throws: ScopeError.self) { try scope.value(for: failing) } }
        #expect(app[main] == "main")
        third.wait()
        #expect(seen.value == "main")
    }

    @Test("So it is if it has waited, and looks only when the build is over")
    func thirdThreadLate() {
        let isGiven = Box<Bool?>(nil)
        let failing = ScopeValue(name: "failing") { [app, main] scope in
            do {
                return try scope.value(for: main)
            } catch {
                onThread { [app] in
                    guard let build = scope.build, let reading = try? Reading.through(app, main.valueKey) else {
                        return
                    }
                    isGiven.value = reading.inputs(ofFailed: build) != nil
                }.wait()
                throw Failure()
            }
        }
        read.value = { scope in #expect(throws: ScopeError.self) { try scope.value(for: failing) } }
        #expect(app[main] == "main")
        #expect(isGiven.value == false)
    }

    @Test("An observer that meets the value it is told of does not keep what it builds without it")
    func observer() {
        let seen = Box<[String]>([])
        let inner = ScopeValue(name: "inner") { _ in "inner" }
        let outer = ScopeValue(name: "outer") { scope in scope[inner] }
        let usesOuter = ScopeValue(name: "usesOuter") { scope in (try? scope.value(for: outer)) ?? "nothing" }
        app.observe { [unowned app] event in
            guard event.key == "inner" else { return }
            let value = app[usesOuter]
            seen.update { $0.append(value) }
        }
        #expect(app[outer] == "inner")
        #expect(seen.value == ["nothing"])
        #expect(app[usesOuter] == "inner")
        #expect(app.localValue(for: usesOuter) == "inner")
    }
}
