import Dispatch
import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("Ten thousand cases in parallel")
struct ParallelCasesTests {
    @Test("Each case reads its own values: in child tasks and bound callbacks") func ownValues() async throws {
        let process = try await TestProcess(running: "TenThousandCases/")
        #expect(process.issues == [])
        #expect(!process.didFail)
        #expect(process.caseCount == 10_000)
    }
}

/// In a process of its own, because each case has lines of its own in what is printed.
///
/// Five functions, because what Swift Testing needs for a case grows with the number of a function's cases.
@Suite(.inProcessOfItsOwn, .scope(strictness: .failures))
struct TenThousandCases {
    @Test(arguments: 0..<2_000) func first(_ number: Int) async { await ownValues(number) }
    @Test(arguments: 2_000..<4_000) func second(_ number: Int) async { await ownValues(number) }
    @Test(arguments: 4_000..<6_000) func third(_ number: Int) async { await ownValues(number) }
    @Test(arguments: 6_000..<8_000) func fourth(_ number: Int) async { await ownValues(number) }
    @Test(arguments: 8_000..<10_000) func fifth(_ number: Int) async { await ownValues(number) }

    private func ownValues(_ number: Int) async {
        let scope = EnvironmentScope.current
        scope.first = number
        scope.second = "\(number)"
        scope.third = [number, number]
        scope.fourth = Shared(number)
        let values = Values()
        async let inChildTask = values.areAll(number)
        let inCallback = await onQueue(scope.bind { values.areAll(number) })
        let inDetachedTask = await Task.detached(operation: scope.bind { values.areAll(number) }).value
        #expect(await inChildTask)
        #expect(inCallback)
        #expect(inDetachedTask)
        #expect(values.areAll(number))
    }
}

private struct Values: Sendable {
    @Injected(\.first) var first
    @Injected(\.second) var second
    @Injected(\.third) var third
    @Injected(\.fourth) var fourth
    @Injected(\.sum) var sum

    func areAll(_ number: Int) -> Bool {
        first == number && second == "\(number)" && third == [number, number] && fourth.number == number
            && sum == 2 * number
    }
}

private final class Shared: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

extension ScopeValues {
    fileprivate static var first: ScopeValue<Int> { .value(-1) }
    fileprivate static var second: ScopeValue<String> { .value("") }
    fileprivate static var third: ScopeValue<[Int]> { .value([]) }
    fileprivate static var fourth: ScopeValue<Shared> { .required() }
    fileprivate static var sum: ScopeValue<Int> { .lazy(isSafeInTests: true) { try $0.first + $0.fourth.number } }
}
