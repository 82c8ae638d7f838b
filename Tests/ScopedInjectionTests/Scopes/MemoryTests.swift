import Foundation
import ScopedInjection
import Testing

/// Counts its instances that are alive.
private final class Counted: Sendable {
    private let alive: Box<Int>
    init(_ alive: Box<Int>) {
        self.alive = alive
        alive.update { $0 += 1 }
    }
    deinit { alive.update { $0 -= 1 } }
}

extension ScopeValues {
    fileprivate static var alive: ScopeValue<Box<Int>> { .required() }
    fileprivate static var counted: ScopeValue<Counted> { .lazy { Counted(try $0.alive) } }
    fileprivate static var ofPort: ScopeValue<Counted> {
        .lazy { reader in
            _ = try reader.port
            return Counted(try reader.alive)
        }
    }
    fileprivate static func many(_ number: Int) -> ScopeValue<Int> { .value(number, isSafeInTests: true, id: number) }
    fileprivate static func held(_ number: Int) -> ScopeValue<Counted?> { .optional(id: number) }
}

@Suite("R8: what is over leaves nothing behind, however often", .programRoots)
struct MemoryTests {
    private let alive = Box(0)
    private let app: EnvironmentScope

    init() { app = EnvironmentScope.empty("app", parent: nil).with(\.alive, alive) }

    @Test("Many short scopes, on many threads, leave none of their values") func shortScopes() async {
        let (app, alive) = (app, alive)
        await onThreads(4) { index in
            for number in 0..<500 {
                let request = EnvironmentScope("request", parent: app) { $0.port = number }
                request {
                    _ = Injected(\.ofPort)()
                    _ = EnvironmentScope("part", parent: request) { $0.host = "\(index)" }.ofPort
                }
            }
        }
        #expect(alive.value == 0)
        _ = app.counted
        #expect(alive.value == 1)
    }

    @Test("Many children of operations, whose cleanups run, leave nothing") func children() async {
        let (app, alive, cleanups) = (app, alive, Box(0))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    await app.withChild("request") { request in
                        request.port = number
                        request.onClose { cleanups.update { $0 += 1 } }
                    } operation: {
                        _ = EnvironmentScope.current.ofPort
                    }
                }
            }
        }
        #expect(cleanups.value == 500)
        #expect(alive.value == 0)
    }

    @Test("A scope with many values has each of them, and lets go of each once", arguments: [30, 60, 120, 500])
    func manyValues(count: Int) {
        for round in 1...3 {
            let scope = EnvironmentScope.empty(parent: nil)
            for number in 0..<count {
                scope[ScopeValues.many(number)] = number * round
                scope[ScopeValues.held(number)] = Counted(alive)
            }
            #expect((0..<count).allSatisfy { scope[ScopeValues.many($0)] == $0 * round })
            #expect(alive.value == count)
            for number in 0..<count where number.isMultiple(of: 2) { scope.removeValue(for: { $0.held(number) }) }
            #expect(alive.value == count / 2)
            #expect((0..<count).allSatisfy { scope[ScopeValues.many($0)] == $0 * round })
            for number in 0..<count {
                scope.removeValue(for: { $0.many(number) })
                scope.removeValue(for: { $0.held(number) })
            }
            #expect(alive.value == 0)
            #expect((0..<count).allSatisfy { scope[ScopeValues.many($0)] == $0 })
        }
    }

    #if os(Linux)
        // The address sanitizer does not return freed memory.
        @Test("A scope that had many values is small again", .disabled(if: getenv("ASAN_OPTIONS") != nil))
        func shrinking() async {
            await #expect(processExitsWith: .success) {
                let count = 10_000
                // What is known of each value stays, whoever sets it.
                for number in 0..<count { _ = EnvironmentScope.global[ScopeValues.many(number)] }
                let scopes = (0..<20).map { _ in EnvironmentScope.empty(parent: nil) }
                func fill(_ scope: EnvironmentScope, atOnce: Bool) {
                    for number in 0..<count {
                        scope[ScopeValues.many(number)] = number
                        if !atOnce { scope.removeValue(for: { $0.many(number) }) }
                    }
                    if atOnce { for number in 0..<count { scope.removeValue(for: { $0.many(number) }) } }
                }
                fill(.empty(parent: nil), atOnce: true)
                let before = residentBytes()
                for (index, scope) in scopes.enumerated() { fill(scope, atOnce: index.isMultiple(of: 2)) }
                let after = residentBytes()
                #expect(after <= before + 1_000_000, "\(before) bytes before, \(after) after")
            }
        }

        @Test("Repeated reads of a builder take no memory", .disabled(if: getenv("ASAN_OPTIONS") != nil))
        func repeatedReads() async {
            await #expect(processExitsWith: .success) {
                let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
                app.provide(\.host) { reader in
                    _ = try reader.port
                    let before = residentBytes()
                    for _ in 0..<200_000 { _ = try reader.port }
                    let more = residentBytes() - before
                    #expect(more <= 1_000_000, "\(more) bytes more")
                    return "built"
                }
                #expect(app.host == "built")
            }
        }

        @Test("Ten million operations take no memory", .disabled(if: getenv("ASAN_OPTIONS") != nil))
        func operations() async {
            await #expect(processExitsWith: .success) {
                #if DEBUG
                    let count = 20_000
                #else
                    let count = 1_000_000
                #endif
                let app = EnvironmentScope("app", parent: nil) { $0.port = 0 }
                app.provide(\.host) { "\(try $0.port)" }
                let host = Injected(\.host)
                // Each round has ten operations: sets, rebuilds, reads, children, entering.
                func run(_ count: Int) {
                    for round in 0..<count {
                        app.port = round & 7
                        _ = app.host
                        let request = EnvironmentScope("request", parent: app) { $0.port = 9 }
                        request {
                            _ = host()
                            _ = request.port
                        }
                        request.removeValue(for: \.port)
                        _ = request.host
                        app.user = nil
                    }
                }
                run(count / 20)
                let before = residentBytes()
                run(count)
                let after = residentBytes()
                #expect(after <= before + 2_000_000, "\(before) bytes before, \(after) after")
            }
        }
    #endif
}
