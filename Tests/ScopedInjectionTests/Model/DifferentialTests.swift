import Foundation
import ScopedInjection
import Synchronization
import Testing

// MARK: - Worlds

/// The scopes of a schedule.
struct Replay {
    var scopes: [Int: EnvironmentScope] = [:]
    var captured: [Int: WeakCapture] = [:]
    var parents: [Int: Int?] = [:]
    var gone: Set<Int> = []
    let outsider = EnvironmentScope.empty("outsider", parent: nil)

    func isAlive(_ scope: Int?) -> Bool { scope.map { parents[$0] != nil && !gone.contains($0) } ?? true }

    func chain(of scope: Int) -> [Int] { [scope] + ((parents[scope] ?? nil).map { chain(of: $0) } ?? []) }

    /// Does a step; false if it makes no sense.
    mutating func perform(_ step: Schedule.Step) async -> Bool {
        switch step {
        case .make(let scope, let parent, let policy):
            guard parents[scope] == nil, isAlive(parent) else { return false }
            let made = EnvironmentScope.empty("\(scope)", parent: parent.flatMap { scopes[$0] }, defaults: policy)
            (scopes[scope], captured[scope], parents[scope]) = (made, WeakCapture(scope: made), .some(parent))
        case .change(let scope, let change):
            guard parents[scope] != nil, isAlive(scope) else { return false }
            scopes[scope]?.perform(change, captured)
        case .move(let scope, let parent):
            guard parents[scope] != nil, isAlive(scope), isAlive(parent) else { return false }
            if let parent, chain(of: parent).contains(scope) { return false }
            scopes[scope]?.parent = parent.flatMap { scopes[$0] }
            parents[scope] = .some(parent)
        case .close(let scope):
            guard parents[scope] != nil, isAlive(scope) else { return false }
            await scopes[scope]?.close()
        case .drop(let scope):
            guard parents[scope] != nil, isAlive(scope) else { return false }
            if parents.contains(where: { $0.value == scope && isAlive($0.key) }) { return false }
            gone.insert(scope)
            scopes[scope] = nil
        case .idle(let scope, let kind):
            guard parents[scope] != nil, isAlive(scope), let scope = scopes[scope] else { return false }
            let key = TraceKeys.idle[kind % 3]
            switch kind % 6 {
            case 0: scope[key] = Traced(term: Trace(1))
            case 1: scope.provide(key) { _ in Traced(term: Trace(2)) }
            case 2: scope.alias(key, to: TraceKeys.idle[3])
            case 3: scope.removeValue(for: key)
            case 4:
                let child = EnvironmentScope.empty("child", parent: scope, defaults: .forbidden)
                _ = try? child.value(for: TraceKeys.idle[3])
            default: outsider[TraceKeys.all[kind % TraceKeys.count]] = Traced(term: Trace(1))
            }
        case .read: return false
        }
        return true
    }
}

// MARK: - Comparing

extension Trace.Part {
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.term(let term), .term(let other)): term.salt == other.salt && Self.areSame(term.parts, other.parts)
        case (.list(let parts), .list(let others)): Self.areSame(parts, others)
        case (.failed(let code), .failed(let other)): code == other
        case (.through(let scope, let part), .through(let other, let otherPart)):
            scope == other && part.isSame(as: otherPart)
        case (.nothing, .nothing), (.gone, .gone): true
        default: false
        }
    }

    private static func areSame(_ parts: [Self], _ others: [Self]) -> Bool {
        parts.count == others.count && zip(parts, others).allSatisfy { $0.isSame(as: $1) }
    }
}

extension Schedule {
    /// The first difference, and how many reads were compared; nil if a read takes too many builds.
    func run() async -> (difference: String?, reads: Int)? {
        await TraceKeys.$recipes.withValue(recipes) { await runInside() }
    }

    private func runInside() async -> (difference: String?, reads: Int)? {
        var world = Replay()
        var known: [String: UInt64] = [:]
        var reads = 0
        func read(_ keys: [Int], _ route: ReadPath.Route, _ number: Int, in world: Replay, limit: UInt64)
            -> Trace.Part
        {
            Trace.limit.store(Trace.count.load(ordering: .relaxed) + limit, ordering: .relaxed)
            defer { Trace.limit.store(.max, ordering: .relaxed) }
            return (try? world.scopes[number]?.part(keys, route)) ?? .nothing
        }
        for (index, step) in steps.enumerated() {
            guard case .read(let number, let keys, let route) = step else {
                guard await world.perform(step) else { continue }
                switch step {
                case .change, .move, .close:
                    known = [:]
                case .drop(let scope):
                    if world.captured[scope]?.scope != nil { return ("step \(index): the scope is still alive", reads) }
                    known = [:]
                default: break
                }
                continue
            }
            guard world.scopes[number] != nil else { continue }
            // A world in which nothing was read before.
            var fresh = Replay()
            for step in steps[..<index] { _ = await fresh.perform(step) }
            let before = Trace.count.load(ordering: .relaxed)
            let expected = read(keys, route, number, in: fresh, limit: 600)
            if Trace.count.load(ordering: .relaxed) - before > 500 { return nil }
            let middle = Trace.count.load(ordering: .relaxed)
            let found = read(keys, route, number, in: world, limit: 6_000)
            reads += 1
            if Trace.count.load(ordering: .relaxed) - middle > 5_000 {
                return ("step \(index): builds without end", reads)
            }
            if !found.isSame(as: expected) {
                return ("step \(index), \(step): \(found.text()) instead of \(expected.text())", reads)
            }
            // What a closed scope refused is tried again after each move, also of a scope of the other world.
            guard let term = found.last, keys.allSatisfy({ TraceKeys.lifetime($0) != .transient }), !found.has(.closed)
            else { continue }
            let name = "\(number) \(keys) \(route == .inherited)"
            if let known = known[name], known != term.number {
                return ("step \(index), \(step): built again, \(found.text())", reads)
            }
            known[name] = term.number
        }
        return (nil, reads)
    }
}

extension Trace.Part {
    fileprivate var last: Trace? {
        switch self {
        case .term(let term): term
        case .list(let parts): parts.last?.last
        default: nil
        }
    }

    /// Whether a read in it failed in this way.
    fileprivate func has(_ code: ScopeError.Code) -> Bool {
        switch self {
        case .term(let term): term.parts.contains { $0.has(code) }
        case .list(let parts): parts.contains { $0.has(code) }
        case .through(_, let part): part.has(code)
        case .failed(let found): found == code
        case .nothing, .gone: false
        }
    }

    func text(depth: Int = 0) -> String {
        if depth > 6 { return "…" }
        func list(_ parts: [Self]) -> String { parts.map { $0.text(depth: depth + 1) }.joined(separator: ", ") }
        return switch self {
        case .term(let term): "\(term.salt)" + (term.parts.isEmpty ? "" : "(\(list(term.parts)))")
        case .nothing: "nothing"
        case .failed(let code): "\(code)"
        case .gone: "gone"
        case .list(let parts): "[\(list(parts))]"
        case .through(let scope, let part): "\(scope): \(part.text(depth: depth + 1))"
        }
    }
}

// MARK: - The tests

/// Runs schedules until enough reads were compared, and reports the first one with a difference.
///
/// `SCOPED_INJECTION_DIFFERENTIAL_STEPS` is the number of reads, `SCOPED_INJECTION_DIFFERENTIAL_SEED` the first seed.
private func compareReads(ofKeys count: Int, share: Int = 1, from first: UInt64) async {
    let environment = ProcessInfo.processInfo.environment
    let wanted = (environment["SCOPED_INJECTION_DIFFERENTIAL_STEPS"].flatMap { Int($0) } ?? 500) / share
    var seed = first + (environment["SCOPED_INJECTION_DIFFERENTIAL_SEED"].flatMap { UInt64($0) } ?? 0)
    var reads = 0
    while reads < wanted {
        var maker = ScheduleMaker(random: Seeded(seed), count: count)
        let schedule = maker.schedule(length: 60)
        if environment["SCOPED_INJECTION_DIFFERENTIAL_TRACE"] != nil { print("seed", seed) }
        let outcome = await schedule.run()
        if outcome?.difference != nil {
            let small = await schedule.shrunk()
            let difference = await small.run()?.difference ?? ""
            Issue.record("seed \(seed): \(difference)\n\(small)")
            return
        }
        reads += outcome?.reads ?? 0
        seed += 1
    }
    #expect(reads >= wanted)
}

@Suite("R2, R4, R5: a read gives what it gives where nothing was read before, and builds nothing twice")
struct DifferentialTests {
    @Test("With few keys")
    func few() async {
        await #expect(processExitsWith: .success) { await compareReads(ofKeys: 24, from: 0) }
    }

    @Test("With very few keys, so that much is said of each")
    func veryFew() async {
        await #expect(processExitsWith: .success) { await compareReads(ofKeys: 9, from: 1 << 41) }
    }

    @Test("With more keys than bits")
    func many() async {
        await #expect(processExitsWith: .success) { await compareReads(ofKeys: 81, share: 10, from: 1 << 40) }
    }
}
