import ScopedInjection
import Testing

private var current: EnvironmentScope { .current }

@Suite("R7: a scope is current for the code that runs in it", .programRoots)
struct EnteringTests {
    private let scope = EnvironmentScope("entered", parent: nil) { $0.port = 1 }

    @Test("Asynchronous code runs in the scope, also after it was suspended") func asynchronous() async {
        await scope {
            for _ in 0..<100 {
                #expect(current === scope)
                await Task.yield()
            }
        }
        #expect(current !== scope)
    }

    @Test("The body is given the scope if it asks for it") func scopeArgument() async {
        #expect(scope { $0 === scope && current === scope })
        let isScope = await scope { inner in
            await Task.yield()
            return inner === scope && current === scope
        }
        #expect(isScope)
    }

    @Test("Results of any type are passed on") func results() async {
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

    @Test("A typed error keeps its type") func typedErrors() async {
        let one = await codeOfRefusal { () throws(Refusal) in try scope { () throws(Refusal) in try refuse(1) } }
        let two = await codeOfRefusal { () throws(Refusal) in try scope { _ throws(Refusal) in try refuse(2) } }
        let three = await codeOfRefusal { () async throws(Refusal) in
            try await scope { () async throws(Refusal) in try await refuseLater(3) }
        }
        let four = await codeOfRefusal { () async throws(Refusal) in
            try await scope { _ async throws(Refusal) in try await refuseLater(4) }
        }
        #expect([one, two, three, four] == [1, 2, 3, 4])
    }

    @Test("An error of any type is passed on, and the outer scope is current again") func untypedErrors() async {
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

    @Test("Synchronous code runs in it, and no other; each within another is left again, also by an error")
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

    @Test("Cancellation passes through") func cancellation() async {
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
