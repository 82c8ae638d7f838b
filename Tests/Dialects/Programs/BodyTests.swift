import ScopedInjection
import Testing
import XCTest

// What stands around code that uses a scope in earnest. Nothing here is `Sendable` that does not say so.

private final class Model {
    var name = ""
    var saved = 0
    func save() async throws { saved += 1 }
}

private nonisolated final class Tally {
    var count = 0
    func add() async { count += 1 }
}

private struct Context { var steps: [String] = [] }

private protocol Writer {
    mutating func write(_ text: String) async throws
}

private struct Lines: Writer {
    var written: [String] = []
    mutating func write(_ text: String) async throws { written.append(text) }
}

private enum Failure: Error, Equatable { case broken }

nonisolated extension ScopeValues { static var bodyName: ScopeValue<String?> { .optional() } }

@Suite("Asynchronous bodies accept what the body of a task-local accepts")
struct BodyTests {
    private nonisolated let scope = EnvironmentScope("app", parent: nil) { $0.bodyName = "app" }

    @Test("A local object")
    func localObject() async throws {
        let model = Model()
        try await scope { try await model.save() }
        let name = try await scope.withChild("request") { _ in
            model.name = EnvironmentScope.current.bodyName ?? "nobody"
            try await model.save()
        } operation: {
            try await model.save()
            return model.name
        }
        #expect(name == "app")
        #expect(model.saved == 3)
    }

    @Test("An object that is passed in, and is the result")
    func passedObject() async throws {
        let model = try await save(Model())
        #expect(model.saved == 2)
    }

    private func save(_ model: Model) async throws -> Model {
        let child = try await EnvironmentScope("child", parent: scope) { _ in try await model.save() }
        return try await child { child in
            try await model.save()
            model.name = child.bodyName ?? "nobody"
            return model
        }
    }

    @Test("A new object as the result")
    func newObject() async {
        let made = await scope { await makeModel() }
        let other = await scope.withChild("request") { await makeModel() }
        #expect(made !== other)
    }

    private func makeModel() async -> Model { Model() }

    @Test("All of that in a scope that closes itself")
    func ownScope() async throws {
        let model = Model()
        var context = Context()
        let made = try await EnvironmentScope.withScope("own", parent: scope) { _ in
            try await model.save()
            context.steps.append("configured")
        } operation: { own in
            model.name = own.bodyName ?? "nobody"
            try await model.save()
            context.steps.append("run")
            return await makeModel()
        }
        #expect(made !== model)
        #expect(model.name == "app")
        #expect(model.saved == 2)
        #expect(context.steps == ["configured", "run"])
    }

    @Test("An inout context of a middleware")
    func inoutContext() async throws {
        var context = Context()
        try await handle(&context) { context in context.steps.append(EnvironmentScope.current.bodyName ?? "nobody") }
        #expect(context.steps == ["Ada"])
    }

    private func handle(_ context: inout Context, next: (inout Context) async throws -> Void) async throws {
        try await scope.withChild("request") {
            $0.bodyName = "Ada"
        } operation: {
            try await next(&context)
        }
    }

    @Test("An inout writer of a response body")
    func inoutWriter() async throws {
        var writer: any Writer = Lines()
        try await write(to: &writer)
        #expect((writer as? Lines)?.written == ["app", "app"])
    }

    private func write(to writer: inout any Writer) async throws {
        try await scope { try await writer.write(EnvironmentScope.current.bodyName ?? "nobody") }
        try await scope.withChild { try await writer.write(EnvironmentScope.current.bodyName ?? "nobody") }
    }

    @Test("An iterator")
    func iterator() async {
        let numbers = AsyncStream<Int> { continuation in
            for number in 1...3 { continuation.yield(number) }
            continuation.finish()
        }
        #expect(await sum(numbers) == 6)
    }

    private nonisolated func sum(_ numbers: AsyncStream<Int>) async -> Int {
        var iterator = numbers.makeAsyncIterator()
        var sum = 0
        await scope { while let number = await iterator.next() { sum += number } }
        return sum
    }

    @Test("A local variable")
    func localVariable() async {
        var count = 0
        await scope {
            count += 1
            await Task.yield()
            count += 1
        }
        #expect(count == 2)
    }

    @Test("An error keeps its type")
    func typedError() async {
        await #expect(throws: Failure.broken) { try await fail() }
    }

    private func fail() async throws(Failure) {
        try await scope { () async throws(Failure) in throw .broken }
    }

    @Test("Cancellation passes through")
    func cancellation() async {
        let scope = scope
        let (cancelled, isCancelled) = AsyncStream<Void>.makeStream()
        let task = Task {
            var iterator = cancelled.makeAsyncIterator()
            _ = await iterator.next()
            return await scope {
                await Task.yield()
                return Task.isCancelled
            }
        }
        task.cancel()
        isCancelled.finish()
        #expect(await task.value)
    }

    @Test("A closure that is bound takes what a transaction gives")
    func boundTransaction() async throws {
        let name = await withTransaction(
            scope.bind { transaction in
                await Task.yield()
                return "\(EnvironmentScope.current.bodyName ?? "nobody") in \(transaction)"
            }
        )
        #expect(name == "app in 1")
    }

    @concurrent
    private nonisolated func withTransaction(
        _ body: @escaping @Sendable (Int) async throws -> String
    ) async rethrows -> String {
        try await body(1)
    }

    @Test("A body of the main actor stays there")
    func mainActor() async { await Screen().check(scope) }

    @Test("A body of an actor stays there")
    func actor() async { await Counter().check(scope) }
}

@MainActor
private final class Screen {
    private var shown = 0

    func check(_ scope: EnvironmentScope) async {
        await scope {
            shown += 1
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
        }
        let child = await EnvironmentScope("child", parent: scope) { _ in
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
        }
        await child.withChild("request") { _ in
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
        } operation: {
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
            shown += 1
        }
        MainActor.assertIsolated()
        #expect(shown == 2)
    }
}

private actor Counter {
    private var count = 0

    func check(_ scope: EnvironmentScope) async {
        let tally = Tally()
        await scope { await tally.add() }
        await scope {
            count += 1
            assertIsolated()
            await Task.yield()
            assertIsolated()
        }
        await scope.withChild("request") { _ in
            assertIsolated()
            await Task.yield()
            assertIsolated()
        } operation: {
            assertIsolated()
            await Task.yield()
            assertIsolated()
            count += 1
        }
        assertIsolated()
        #expect(count == 2)
        #expect(tally.count == 1)
    }
}

nonisolated final class CaseTests: XCTestCase {
    private var helped = 0

    func help() async { helped += 1 }

    func testScopeAroundHelper() async {
        let scope = EnvironmentScope.empty("test", parent: nil)
        await scope { await help() }
        XCTAssertEqual(helped, 1)
    }
}
