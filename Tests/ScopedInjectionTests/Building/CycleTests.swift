import Foundation
import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var a: ScopeValue<Int> { .lazy { try $0.b + 1 } }
    fileprivate static var b: ScopeValue<Int> { .lazy { try $0.c + 1 } }
    fileprivate static var c: ScopeValue<Int> { .lazy { try $0.a + 1 } }
    /// Swallow the errors of the cycle that they make.
    fileprivate static var first: ScopeValue<Int> { .lazy { ((try? $0.second) ?? 0) + 1 } }
    fileprivate static var second: ScopeValue<Int> { .lazy { ((try? $0.first) ?? 0) + 10 } }
    fileprivate static var outside: ScopeValue<Int> { .lazy { (try? $0.a) ?? -1 } }
    fileprivate static var brief: ScopeValue<Int> { .lazy(.transient) { try $0.briefToo } }
    fileprivate static var briefToo: ScopeValue<Int> { .lazy(.transient) { try $0.brief } }
    fileprivate static var own: ScopeValue<Int> { .lazy(.once(in: .application)) { try $0.ofOwn } }
    fileprivate static var ofOwn: ScopeValue<Int> { .lazy { try $0.own } }
    fileprivate static var byReference: ScopeValue<Int> { .lazy { _ in try Injected(\.ofReference).value() } }
    fileprivate static var ofReference: ScopeValue<Int> { .lazy { try $0.byReference } }
    fileprivate static var e: ScopeValue<E> { .lazy { _ in E() } }
    fileprivate static var f: ScopeValue<F> { .lazy { _ in F() } }
}

extension ScopeValues {
    fileprivate static var further: ScopeValue<EnvironmentScope?> { .optional() }
    fileprivate static var distance: ScopeValue<Int> {
        .lazy { reader in try reader.further.map { try $0.value(for: \.distance) + 1 } ?? 0 }
    }
}

private final class E: Sendable { let f = Injected(\.f) }
private final class F: Sendable { let e = Injected(\.e) }

private typealias Number = @Sendable (ScopeValues.Type) -> ScopeValue<Int>

private func codeOfRead(_ number: Number, in scope: EnvironmentScope) -> ScopeError.Code? {
    do throws(ScopeError) { _ = try scope.value(for: number) } catch { return error.code }
    return nil
}

/// The result of a read on a thread of its own, so that a hang is a result too.
private func outcome(_ scope: EnvironmentScope, _ number: @escaping Number) -> String {
    let (seen, isOver) = (Box("hangs"), DispatchSemaphore(value: 0))
    onThread {
        do throws(ScopeError) { seen.value = "\(try scope.value(for: number))" } catch { seen.value = "\(error.code)" }
        isOver.signal()
    }
    _ = isOver.wait(timeout: .now() + hangLimit)
    return seen.value
}

@Suite("R6: a value that needs itself is an error, and never a hang", .programRoots)
struct CycleTests {
    private let scope = EnvironmentScope.empty("app", role: .application, parent: nil)

    // MARK: On one thread

    @Test("A value that is built from the same value of another scope is none") func otherScope() throws {
        let end = EnvironmentScope.empty("end", parent: nil)
        let middle = EnvironmentScope("middle", parent: nil) { $0.further = end }
        let start = EnvironmentScope("start", parent: nil) { $0.further = middle }
        #expect(try start.value(for: \.distance) == 2)
    }

    @Test("What leads to a cycle is no part of it") func leadingThere() {
        let error = #expect(throws: ScopeError.self) {
            scope.provide(\.port) { try $0.b }
            _ = try scope.value(for: \.port)
        }
        #expect(error?.path == ["b", "c", "a", "b"])
    }

    @Test("Whatever the lifetimes, and through references of initialisers") func lifetimes() {
        for number in [\.brief, \.own, \.ofOwn, \.byReference] as [Number] {
            #expect(outcome(scope, number) == "cycle")
            #expect(outcome(.empty("request", parent: scope), number) == "cycle")
        }
    }

    @Test("Setting one of the values ends it") func setOne() throws {
        let request = EnvironmentScope.empty("request", parent: scope)
        scope.c = 10
        #expect(try request.value(for: \.a) == 12)
        request.b = 5
        #expect(try request.value(for: \.a) == 6)
        scope.removeValue(for: \.c)
        #expect(throws: ScopeError.self) { try scope.value(for: \.a) }
        #expect(try request.value(for: \.a) == 6)
    }

    @Test("A builder that swallows the error of its own cycle gives no value, whichever is read first")
    func swallowed() {
        for _ in 0..<2 {
            #expect(codeOfRead(\.first, in: scope) == .cycle)
            #expect(codeOfRead(\.second, in: scope) == .cycle)
        }
        scope.second = 5
        #expect(scope.first == 6)
    }

    @Test("Builders that swallow the errors of their own cycles end all the same") func swallowedAgain() {
        let runs = Box(0)
        let values = Box<[ScopeValue<Int>]>([])
        values.value = (0..<3).map { index in
            .lazy(id: "swallowing \(index)") { reader in
                // Otherwise it would not end before the test does.
                guard runs.next() < 10_000 else { return 0 }
                for _ in 0..<2 { _ = try? reader[values.value[(index + 1) % 3]] }
                return index
            }
        }
        let error = #expect(throws: ScopeError.self) { try scope.value(for: { _ in values.value[0] }) }
        #expect(error?.code == .cycle)
        #expect(runs.value < 1_000)
    }

    @Test("A builder outside a cycle may catch its error") func outside() throws {
        #expect(try scope.value(for: \.outside) == -1)
        scope.b = 1
        #expect(try scope.value(for: \.outside) == 2)
    }

    @Test("Values that hold references to each other are no cycle") func mutualReferences() {
        scope {
            let e = scope.e
            #expect(e.f().e() === e)
        }
    }

    /// Lets a value of one scope be built from a value of another scope.
    private func link(
        _ number: @escaping Number,
        in scope: EnvironmentScope,
        to other: @escaping Number,
        in place: EnvironmentScope,
        _ runs: Box<Int>
    ) {
        scope.provide(number) { [unowned place] _ in
            runs.update { $0 += 1 }
            return try place.value(for: other) + 1
        }
    }

    @Test("Across two and three trees, and across parent and child", arguments: 0..<5)
    func acrossScopes(_ arrangement: Int) {
        let runs = Box(0)
        let scopes = (0..<3).map { EnvironmentScope.empty("\($0)", parent: arrangement > 2 ? scope : nil) }
        switch arrangement {
        case 0:
            link(\.a, in: scopes[0], to: \.b, in: scopes[1], runs)
            link(\.b, in: scopes[1], to: \.a, in: scopes[0], runs)
        case 1:
            link(\.a, in: scopes[0], to: \.b, in: scopes[1], runs)
            link(\.b, in: scopes[1], to: \.c, in: scopes[2], runs)
            link(\.c, in: scopes[2], to: \.a, in: scopes[0], runs)
        case 2:
            link(\.a, in: scopes[0], to: \.brief, in: scopes[1], runs)
            link(\.brief, in: scopes[1], to: \.a, in: scopes[0], runs)
        case 3:
            link(\.a, in: scopes[0], to: \.b, in: scope, runs)
            link(\.b, in: scope, to: \.a, in: scopes[0], runs)
        default:
            link(\.a, in: scope, to: \.b, in: scopes[0], runs)
            link(\.b, in: scopes[0], to: \.a, in: scopes[0], runs)
        }
        #expect(outcome(scopes[0], \.a) == "cycle")
        #expect((1...6).contains(runs.value))
        runs.value = 0
        scopes[0].a = 1
        #expect(outcome(scopes[0], \.a) == "1")
        #expect(runs.value == 0)
    }

    // MARK: Across threads

    @Test("A cycle that threads close while each of them builds is reported, not waited for", arguments: [2, 3])
    func meetingInTheMiddle(count: Int) async {
        let started = (0..<count).map { _ in Gate() }
        let numbers: [Number] = [\.a, \.b, \.c]
        for index in 0..<count {
            scope.provide(numbers[index]) { reader in
                started[index].open()
                for gate in started { gate.wait() }
                return try reader[numbers[(index + 1) % count](ScopeValues.self)]
            }
        }
        await onThreads(count) { [scope] index in
            let code = codeOfRead(numbers[index], in: scope)
            if code != .cycle { Issue.record("\(String(describing: code))") }
        }
        scope.a = 1
        #expect(scope.b == 1)
    }

    @Test("A cycle that threads close through several scopes is reported, not waited for", arguments: 0..<20)
    func meetingElsewhere(round: Int) async {
        let other = EnvironmentScope.empty("other", parent: nil)
        let meeting = Meeting()
        scope.provide(\.a) { [unowned other] _ in
            meeting.meet()
            return try other.value(for: \.b)
        }
        other.provide(\.b) { [unowned scope] _ in
            meeting.meet()
            return try scope.value(for: \.a)
        }
        await onThreads(2) { [scope] index in
            let code = index == 0 ? codeOfRead(\.a, in: scope) : codeOfRead(\.b, in: other)
            if code != .cycle { Issue.record("\(String(describing: code))") }
        }
    }

    @Test("What another thread builds, and needs a part of this one, is waited for: no cycle", arguments: 0..<30)
    func sharedPart(round: Int) async {
        scope.provide(\.a) { try $0.b + $0.c }
        scope.provide(\.b) { try $0.c }
        scope.provide(\.c) { _ in 1 }
        let numbers: [Number] = [\.a, \.b, \.c, \.a]
        await onThreads(4) { [scope] index in
            let value = try? scope.value(for: numbers[index])
            if value != (index % 3 == 0 ? 2 : 1) { Issue.record("\(String(describing: value))") }
        }
    }
}
