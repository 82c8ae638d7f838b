import Foundation
import Testing

@testable import ScopedInjection

/// A key type for each number.
private protocol Digit: SendableMetatype { static var value: Int { get } }
private enum Zero: Digit { static let value = 0 }
private enum Even<Half: Digit>: Digit { static var value: Int { Half.value * 2 } }
private enum Odd<Half: Digit>: Digit { static var value: Int { Half.value * 2 + 1 } }

private func digits(_ number: Int) -> any Digit.Type {
    func next<Half: Digit>(_ half: Half.Type) -> any Digit.Type {
        number % 2 == 0 ? Even<Half>.self : Odd<Half>.self
    }
    return number == 0 ? Zero.self : next(digits(number / 2))
}

private enum RowKey<Number: Digit>: ScopeKey { static var defaultValue: Int { Number.value } }
private enum UnrelatedKey: ScopeKey { static let defaultValue = 0 }

extension EnvironmentScope {
    /// Lets the value of each number be built from the one before.
    fileprivate func provideRow(_ count: Int) {
        for number in 1..<count { provideRow(digits(number), digits(number - 1)) }
    }

    private func provideRow<A: Digit, B: Digit>(_ number: A.Type, _ before: B.Type) {
        provide(RowKey<A>.self) { scope in try scope.value(for: RowKey<B>.self) + 1 }
    }

    fileprivate func readRow(_ number: Int) throws -> Int {
        func read<A: Digit>(_ number: A.Type) throws -> Int { try value(for: RowKey<A>.self) }
        return try read(digits(number))
    }

    fileprivate func setRow(_ number: Int, to value: Int) {
        func set<A: Digit>(_ number: A.Type) { self[RowKey<A>.self] = value }
        set(digits(number))
    }
}

/// Releases the builds that this thread has left for its next ones; returns how many there were.
private func releaseSpareBuilds() -> Int {
    var count = 0
    var spares = Lines.shared.take(.builds, Lines.ofThread())
    while let spare = spares {
        let build = unsafeDowncast(spare.takeRetainedValue(), to: Build.self)
        spares = build.nextSpare
        build.nextSpare = nil
        count += 1
    }
    return count
}

/// Runs a body on a thread with a small stack.
private func onSmallStack(_ body: @escaping @Sendable () -> Void) { onStack(of: 512 * 1024, body) }

private func onStack(of size: Int, _ body: @escaping @Sendable () -> Void) {
    let isOver = Gate()
    let thread = Thread {
        body()
        isOver.open()
    }
    thread.stackSize = size
    thread.start()
    isOver.wait()
}

private func useScopes(inRow count: Int) {
    onSmallStack {
        var scopes = [EnvironmentScope("root", parent: nil) { $0.port = 5 }]
        scopes[0].provide(HostKey.self) { scope in "host \(scope.port)" }
        for number in 1..<count { scopes.append(.empty(parent: scopes[number - 1])) }
        let leaf = scopes[count - 1]
        #expect(leaf.port == 5)
        #expect(leaf.host == "host 5")
        #expect(leaf { EnvironmentScope.current.port } == 5)
        let bound = leaf.bind { () -> Int in Injected(\.port)() }
        let reference = Injected(\.port, scope: leaf)
        scopes[count / 2].port = 6
        #expect(leaf.port == 6)
        #expect(bound() == 6)
        #expect(reference() == 6)
        #expect(leaf.host == "host 6")
        scopes = []
        #expect(bound() == 6)
        #expect(reference() == 6)
    }
}

private func checkValues(inRow count: Int) throws {
    let app = EnvironmentScope.empty("app", parent: nil)
    let request = EnvironmentScope.empty("request", parent: app)
    app.provideRow(count)
    // From the first one on, because a builder that reads the next value nests on the stack.
    for number in 0..<count { try #require(try app.readRow(number) == number) }
    onSmallStack {
        app[UnrelatedKey.self] = 1
        #expect((try? request.readRow(count - 1)) == count - 1)
        request[UnrelatedKey.self] = 2
        #expect((try? request.readRow(count - 1)) == count - 1)
    }
    app.setRow(0, to: 1_000_000)
    // A part of them, because where one is announced follows from all that the last build needed.
    for number in 0..<min(count, 2_000) { try #require(try app.readRow(number) == 1_000_000 + number) }
    onSmallStack {
        #expect(request.explain(HostKey.self).problem == nil)
        app.removeAll()
    }
}

@Suite("R6: depth is limited by memory, not by the stack")
struct DepthTests {
    // In processes of their own: after each change by the other tests, a row of ten thousand values would be checked again, under
    // lines that ten thousand scopes then wait for.

    @Test("Fifty scopes in a row are made, entered, bound, read and released")
    func fewScopes() { useScopes(inRow: 50) }

    @Test("Ten thousand scopes in a row are made, entered, bound, read and released")
    func manyScopes() async {
        await #expect(processExitsWith: .success) { useScopes(inRow: 10_000) }
    }

    @Test("A row of scopes that each take the place of the one before leaves no handles behind")
    func handlesInRow() {
        final class WeakHandle {
            private(set) weak var handle: Handle?
            init(_ scope: EnvironmentScope) { handle = scope.node?.link }
        }
        var scope = EnvironmentScope.empty(parent: nil)
        var handles: [WeakHandle] = []
        for _ in 0..<100 {
            scope = .empty(parent: scope)
            handles.append(WeakHandle(scope))
        }
        #expect(handles.last?.handle != nil)
        #expect(handles.filter { $0.handle != nil }.count == 1)
    }

    @Test("Ten thousand parents that are set in force, one after the other, are kept and released")
    func parentsInForce() async {
        await #expect(processExitsWith: .success) {
            onSmallStack {
                var scopes = (0..<10_000).map { _ in EnvironmentScope.empty(parent: nil) }
                weak let last = scopes.last
                last?.port = 7
                let first = scopes[0]
                first {
                    for number in 1..<scopes.count { scopes[number - 1].parent = scopes[number] }
                    scopes = []
                    #expect(first.port == 7)
                }
                #expect(last == nil)
            }
        }
    }

    @Test("A hundred values, each built from the one before, are checked again")
    func fewValues() throws { try checkValues(inRow: 100) }

    @Test("Ten thousand values, each built from the one before, are checked again")
    func manyValues() async {
        await #expect(processExitsWith: .success) { try checkValues(inRow: 10_000) }
    }

    @Test("Builders that were nested deep once leave little behind")
    func deepNesting() {
        let count = 1000
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provideRow(count)
        let left = Box(0)
        onStack(of: 64 << 20) {
            #expect((try? app.readRow(count - 1)) == count - 1)
            left.value = releaseSpareBuilds()
        }
        // Other threads may use the same place, and leave or take some.
        #expect(left.value <= 64)
    }

    @Test("Ten thousand values, each built from the one before, are explained and drawn")
    func explanations() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope.empty("app", parent: nil)
            let values = makeRow(10_000)
            for value in values { _ = app[value] }
            onSmallStack {
                let explanation = app.explain(values[9_999])
                #expect(explanation.rebuiltByChangesOf.count == 9_999)
                var innermost = explanation
                var depth = 0
                while let input = innermost.inputs.first {
                    innermost = input
                    depth += 1
                }
                #expect(depth == 9_999)
                #expect(innermost.key == "value 0")
                #expect(explanation.key == "value 9999")
                let graph = app.graph
                #expect(graph.edges.count == 9_999)
                #expect(graph.description.contains("value 9999 in \"app\" (built) ← value 9998 in \"app\" (built)"))
            }
        }
    }

    @Test("The text of an explanation, and what a debugger shows of it, take no more stack the deeper it is")
    func texts() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let values = makeRow(2_000)
        for value in values { _ = app[value] }
        onSmallStack {
            let explanation = app.explain(values[1_999])
            #expect(explanation.description.contains("\n" + String(repeating: "  ", count: 1_999) + "value 0 (Int)"))
            let mirror = Mirror(reflecting: explanation)
            #expect(mirror.descendant("inputs") as? [String] == ["value 1998"])
        }
    }

    @Test("A thousand aliases in a row lead to the last", arguments: [50, 1_000])
    func aliases(count: Int) throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        for number in 0..<count {
            func declare<A: Digit, B: Digit>(_ number: A.Type, _ next: B.Type) {
                app.alias(RowKey<A>.self, to: RowKey<B>.self)
            }
            declare(digits(number), digits(number + 1))
        }
        #expect(try app.readRow(0) == count)
        app.setRow(0, to: -1)
        #expect(try app.readRow(count) == -1)
        #expect(try app.readRow(count / 2) == -1)
    }

    #if os(Linux)
        @Test(
            "A request that builds a row of values anew keeps nothing of the search while their builders run",
            .disabled(
                if: getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil,
                "a sanitizer has memory of its own for each byte"
            )
        )
        func rebuiltRow() async {
            await #expect(processExitsWith: .success) {
                let count = 1_000
                let deepest = Box(0)
                let values = makeRow(count) { if $0 == 1 { deepest.value = residentBytes() } }
                let app = EnvironmentScope.empty("app", parent: nil)
                for value in values { _ = app[value] }
                let request = EnvironmentScope.empty("request", parent: app)
                request[values[0]] = 1_000
                let last = values[count - 1]
                let before = residentBytes()
                // The builders nest on the stack.
                onStack(of: 512 * 1024 * 1024) { #expect(request[last] == 1_000 + count - 1) }
                let used = deepest.value - before
                #expect(used < 60_000_000, "\(used) bytes in the innermost builder")
            }
        }
    #endif
}
