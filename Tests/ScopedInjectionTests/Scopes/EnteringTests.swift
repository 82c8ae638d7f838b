import ScopedInjection
import Testing

private struct Refusal: Error, Equatable { var code = 0 }

private func refuse(_ code: Int) throws(Refusal) -> Int { throw Refusal(code: code) }

private func refuseLater(_ code: Int) async throws(Refusal) -> Int {
    await Task.yield()
    throw Refusal(code: code)
}

/// Not sendable: it may be returned, but not sent to another task.
private final class Draft {
    var text = ""
}

private var current: EnvironmentScope { .current }

@Suite("R7: a scope is current for the code that runs in it", .programRoots)
struct EnteringTests {
    private let scope = EnvironmentScope("entered", parent: nil) { $0.port = 1 }

    @Test("Synchronous code runs in the scope, and no other code does")
    func synchronous() {
        let seen = scope { current }
        #expect(seen === scope)
        #expect(current !== scope)
    }

    @Test("Asynchronous code runs in the scope, also after it was suspended")
    func asynchronous() async {
        await scope {
            for _ in 0..<100 {
                #expect(current === scope)
                await Task.yield()
            }
        }
        #expect(current !== scope)
    }

    @Test("The body is given the scope if it asks for it")
    func scopeArgument() async {
        #expect(scope { $0 === scope && current === scope })
        let isScope = await scope { inner in
            await Task.yield()
            return inner === scope && current === scope
        }
        #expect(isScope)
    }

    @Test("Results of any type are passed on")
    func results() async {
        let draft = Draft()
        #expect(scope { draft } === draft)
        #expect(scope { _ in draft } === draft)
        let later = await scope {
            await Task.yield()
            return draft
        }
        #expect(later === draft)
        let (number, function) = scope { (1, { (text: String) in draft.text = text }) }
        function("\(number)")
        #expect(draft.text == "1")
        let nothing: Int? = scope { nil }
        #expect(nothing == nil)
        #expect(scope {} == ())
    }

    @Test("A typed error keeps its type")
    func typedErrors() async {
        do throws(Refusal) {
            _ = try scope { () throws(Refusal) in try refuse(1) }
            Issue.record("the error was lost")
        } catch {
            #expect(error.code == 1)
        }
        do throws(Refusal) {
            _ = try scope { (_: EnvironmentScope) throws(Refusal) in try refuse(2) }
            Issue.record("the error was lost")
        } catch {
            #expect(error.code == 2)
        }
        do throws(Refusal) {
            _ = try await scope { () async throws(Refusal) in try await refuseLater(3) }
            Issue.record("the error was lost")
        } catch {
            #expect(error.code == 3)
        }
        do throws(Refusal) {
            _ = try await scope { (_: EnvironmentScope) async throws(Refusal) in try await refuseLater(4) }
            Issue.record("the error was lost")
        } catch {
            #expect(error.code == 4)
        }
    }

    @Test("An error of any type is passed on, and the outer scope is current again")
    func untypedErrors() async {
        #expect(throws: Refusal(code: 5)) {
            try scope { if scope.port == 1 { throw Refusal(code: 5) } }
        }
        #expect(current !== scope)
        await #expect(throws: Refusal(code: 6)) {
            try await scope {
                await Task.yield()
                if scope.port == 1 { throw Refusal(code: 6) }
            }
        }
        #expect(current !== scope)
    }

    @Test("Scopes can be entered within each other, and each is left again, also by an error")
    func nested() {
        let inner = EnvironmentScope.empty("inner", parent: nil)
        scope {
            inner {
                #expect(current === inner)
                scope { #expect(current === scope) }
                #expect(current === inner)
            }
            #expect(current === scope)
            #expect(throws: Refusal.self) { try inner { _ = try refuse(0) } }
            #expect(current === scope)
        }
        #expect(current !== scope)
    }

    @Test("Cancellation passes through")
    func cancellation() async {
        let task = Task {
            await scope {
                let before = Task.isCancelled
                withUnsafeCurrentTask { $0?.cancel() }
                await Task.yield()
                return (before, Task.isCancelled, current === scope)
            }
        }
        let (before, after, isCurrent) = await task.value
        #expect(!before)
        #expect(after)
        #expect(isCurrent)

        let failing = Task { try await scope { try await self.cancelled() } }
        await #expect(throws: CancellationError.self) { try await failing.value }
    }

    private func cancelled() async throws {
        withUnsafeCurrentTask { $0?.cancel() }
        try await Task.sleep(for: .seconds(1000))
    }
}
