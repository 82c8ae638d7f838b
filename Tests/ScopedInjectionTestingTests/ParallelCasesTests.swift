import Dispatch
import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("Ten thousand cases in parallel")
struct ParallelCasesTests {
    @Test(
        "Each case reads its own five values: in child tasks, task groups and bound callbacks",
        .scope(strictness: .all),
        arguments: 0..<10_000
    )
    func ownValues(_ number: Int) async {
        let scope = EnvironmentScope.current
        scope[Value1.self] = number
        scope[Value2.self] = number + 1
        scope[Value3.self] = "\(number)"
        scope[Value4.self] = [number, number]
        scope[Value5.self] = Shared(number)
        let values = Values()

        async let inChildTask = values.areAll(number)
        let inGroup = await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    await Task.yield()
                    return values.areAll(number)
                }
            }
            return await group.allSatisfy { $0 }
        }
        let inCallback = await onQueue(scope.bind { values.areAll(number) })
        let inTask = await Task { values.areAll(number) }.value
        let inDetachedTask = await Task.detached(operation: scope.bind { values.areAll(number) }).value

        #expect(await inChildTask)
        #expect(inGroup)
        #expect(inCallback)
        #expect(inTask)
        #expect(inDetachedTask)
        #expect(values.areAll(number))
    }
}

private struct Values: Sendable {
    @Injected(key: Value1.self) var first
    @Injected(key: Value2.self) var second
    @Injected(key: Value3.self) var third
    @Injected(key: Value4.self) var fourth
    @Injected(key: Value5.self) var fifth
    @Injected(key: Sum.self) var sum

    func areAll(_ number: Int) -> Bool {
        first == number && second == number + 1 && third == "\(number)" && fourth == [number, number]
            && fifth.number == number && sum == 2 * number + 1
    }
}

private final class Shared: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

private enum Value1: ScopeKey { static let defaultValue = -1 }
private enum Value2: ScopeKey { static let defaultValue = -1 }
private enum Value3: ScopeKey { static let defaultValue = "" }
private enum Value4: ScopeKey { static let defaultValue: [Int] = [] }
private enum Value5: ScopeKey { typealias Value = Shared }
private enum Sum: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Int { scope[Value1.self] + scope[Value2.self] }
}
