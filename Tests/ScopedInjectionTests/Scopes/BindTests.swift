import Dispatch
import ScopedInjection
import Testing

private var current: EnvironmentScope { .current }

@Suite("R7: closures that are bound to a scope", .programRoots)
struct BindTests {
    private let scope = EnvironmentScope("bound", parent: nil) { $0.port = 1 }

    @Test("Bound closures take arguments and return results") func arguments() async {
        let none: @Sendable () -> Int = scope.bind { current.port }
        let one: @Sendable (Int) -> Int = scope.bind { (number: Int) in current.port + number }
        let two: @Sendable (Int, String) -> String = scope.bind { (number: Int, text: String) in
            "\(current.port + number) \(text)"
        }
        let three = scope.bind { (first: Int, second: Int, third: Int?) in [current.port, first, second, third ?? 4] }
        #expect(none() == 1)
        #expect(one(2) == 3)
        #expect(two(2, "ports") == "3 ports")
        #expect(three(2, 3, nil) == [1, 2, 3, 4])
    }

    @Test("A bound closure carries the scope along, and only for itself", arguments: Elsewhere.allCases)
    func places(_ place: Elsewhere) async {
        let port = scope.bind { current.port }
        let (bound, after) = await place.run { (port(), current.name) }
        #expect(bound == 1)
        #expect(after != "entered")
    }

    @Test("The errors of bound closures keep their type") func typedErrors() async {
        let failing = scope.bind { (code: Int) throws(Refusal) in try refuse(code) }
        #expect(await codeOfRefusal { () throws(Refusal) in try failing(1) } == 1)
        let failingLater = scope.bind { () async throws(Refusal) in try await refuseLater(2) }
        #expect(await codeOfRefusal { () async throws(Refusal) in try await failingLater() } == 2)
    }

    @Test("Asynchronous ones run in the scope until they end") func asynchronous() async {
        let scope = scope
        let bound = scope.bind {
            await Task.yield()
            return current === scope
        }
        #expect(await bound())
        #expect(await Task.detached(operation: bound).value)
        #expect(current !== scope)
    }

    @Test("An asynchronous one may take an argument, and its errors keep their type")
    func asynchronousArgument() async throws {
        let sum = try await withTransaction(
            scope.bind { transaction in
                await Task.yield()
                return current.port + transaction
            }
        )
        #expect(sum == 42)
        let failing = scope.bind { (code: Int) async throws(Refusal) in try await refuseLater(code) }
        #expect(await codeOfRefusal { () async throws(Refusal) in try await failing(3) } == 3)
        #expect(current !== scope)
    }

    /// As a database does it.
    private func withTransaction<Result: Sendable>(
        _ body: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> Result { try await body(41) }

    @Test("Bound closures can be passed on where they are written") func handedOn() async {
        #expect(await Task.detached(operation: scope.bind { current.port }).value == 1)
        let later = Task.detached(
            operation: scope.bind {
                await Task.yield()
                return current.port
            }
        )
        #expect(await later.value == 1)
        let (values, continuation) = AsyncStream.makeStream(of: Int.self)
        DispatchQueue.global().async(execute: scope.bind { _ = continuation.yield(current.port) })
        var received = values.makeAsyncIterator()
        #expect(await received.next() == 1)
    }

    @Test("One may be called by many threads at once") func manyThreads() async {
        let bound = scope.bind { (number: Int) in current.port + number }
        let sums = Box<[Int]>([])
        await onThreads(8) { number in
            let sum = bound(number)
            sums.update { $0.append(sum) }
        }
        #expect(sums.value.sorted() == Array(1...8))
    }
}
