import Foundation
import ScopedInjection
import Synchronization

// MARK: - Programs

/// A way by which a value is read.
struct ReadPath: Sendable {
    /// The given scope, the current one, the parent of the given one, or one that the builder captured.
    enum Start: Sendable, Equatable { case own, current, parent, captured(Int) }
    enum Route: Sendable, CaseIterable { case value, ifAny, inherited, local }

    var start = Start.own
    /// The first key; each other one is read through the scope that the value of the one before keeps.
    var keys: [Int]
    var route = Route.value
}

/// A change of a scope, whoever makes it.
enum ScopeChange: Sendable {
    case set(Int, UInt64), provide(Int, Doings), alias(Int, Int), remove(Int)
}

/// What a builder does; its value is what it has read.
struct Doings: Sendable {
    indirect enum Part: Sendable {
        case read(ReadPath, isTried: Bool)
        /// Reads by one of two ways, depending on a number.
        case either(Int, ReadPath, ReadPath)
        /// Makes a row of scopes, changes them and reads there.
        case within(ReadPath.Start, [Deed])
    }
    enum Deed: Sendable {
        /// Makes a scope below the last one.
        case make
        /// Changes one of the scopes; the last one has the number 0.
        case change(Int, ScopeChange)
        case read(Int, Int, ReadPath.Route)
        /// Gives one of the scopes another parent.
        case move(Int, ReadPath.Start)
        /// Reads on another thread, and forgets the result.
        case readElsewhere(Int, Int)
    }
    /// What the value keeps: nothing, the builder's scope, or the last one that it made.
    enum Keeps: Sendable { case nothing, own, made }

    var salt: UInt64
    var parts: [Part] = []
    var keeps = Keeps.nothing
}

/// Random builders, and random changes and reads.
///
/// Keys lie in groups of three, which have one lifetime. An alias leads further in its group. A builder reads keys of
/// later groups, or its own one further out, so no value needs itself.
struct Schedule {
    enum Step {
        case make(Int, Int?, DefaultsPolicy?)
        case change(Int, ScopeChange)
        case move(Int, Int?)
        case close(Int)
        case drop(Int)
        /// Changes what nothing reads.
        case idle(Int, Int)
        case read(Int, [Int], ReadPath.Route)
    }

    var recipes: [Doings]
    var steps: [Step] = []
}

// MARK: - Values

/// What a build has read; it keeps no scope.
final class Trace: Sendable {
    enum Part: Sendable {
        case term(Trace), nothing, failed(ScopeError.Code), gone
        case list([Part])
        indirect case through(Int, Part)
    }

    static let count = Atomic<UInt64>(0)
    /// The count beyond which builders give up.
    static let limit = Atomic<UInt64>(.max)
    /// A number that no other value has.
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    let salt: UInt64
    let parts: [Part]

    init(_ salt: UInt64, _ parts: [Part] = []) { (self.salt, self.parts) = (salt, parts) }
}

struct Traced: Sendable {
    let term: Trace
    var scope: EnvironmentScope?
}

struct WeakCapture: Sendable {
    weak let scope: EnvironmentScope?
}

enum TraceKeys {
    @TaskLocal static var recipes: [Doings] = []

    static let count = 81
    /// Added to the numbers of builders, to tell them from values that were set.
    static let firstBuilder: UInt64 = 1_000_000
    static let all: [ScopeValue<Traced>] = (0..<count).map { key in
        if isRequired(key) { return .required() }
        return ScopeValue(lifetime(key), isSafeInTests: key / 3 % 3 == 1) { scope in
            try (key < recipes.count ? recipes[key] : Doings(salt: 1)).build([:], scope)
        }
    }
    static let idle = (0..<4).map { _ in ScopeValue<Traced>(Traced(term: Trace(0))) }

    static func isRequired(_ key: Int) -> Bool { key % 7 == 1 && lifetime(key) == .shared }
    static func lifetime(_ key: Int) -> ValueLifetime { [.shared, .shared, .transient, .shared, .scoped][key / 3 % 5] }
}

extension EnvironmentScope {
    func read(_ key: Int, _ route: ReadPath.Route) throws(ScopeError) -> Traced? {
        let key = TraceKeys.all[key]
        return switch route {
        case .value: try value(for: key)
        case .ifAny: try valueIfAny(key)
        case .inherited: try inherited(key)
        case .local: localValue(for: key)
        }
    }

    func part(_ keys: [Int], _ route: ReadPath.Route, isTried: Bool = true) throws(ScopeError) -> Trace.Part {
        do throws(ScopeError) {
            guard let made = try read(keys[0], route) else { return .nothing }
            guard keys.count > 1 else { return .term(made.term) }
            guard let scope = made.scope else { return .list([.term(made.term), .nothing]) }
            return .list([.term(made.term), try scope.part(Array(keys.dropFirst()), .value)])
        } catch {
            if isTried { return .failed(error.code) }
            throw error
        }
    }

    /// Reads on another thread, which does not hold the scope afterwards.
    func readElsewhere(_ key: Int) {
        let recipes = TraceKeys.recipes
        let given = Unmanaged.passUnretained(self).toOpaque()
        let address = UInt(bitPattern: given)
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            if let given = UnsafeRawPointer(bitPattern: address) {
                Unmanaged<EnvironmentScope>.fromOpaque(given)._withUnsafeGuaranteedRef { scope in
                    TraceKeys.$recipes.withValue(recipes) { _ = try? scope.read(key, .value) }
                }
            }
            isOver.signal()
        }
        isOver.wait()
    }

    func perform(_ change: ScopeChange, _ captured: [Int: WeakCapture]) {
        switch change {
        case .set(let key, let number): self[TraceKeys.all[key]] = Traced(term: Trace(number))
        case .provide(let key, let recipe): provide(TraceKeys.all[key]) { try recipe.build(captured, $0) }
        case .alias(let key, let target): alias(TraceKeys.all[key], to: TraceKeys.all[target])
        case .remove(let key): removeValue(for: TraceKeys.all[key])
        }
    }
}

extension Doings {
    func build(_ captured: [Int: WeakCapture], _ scope: EnvironmentScope) throws -> Traced {
        if Trace.count.load(ordering: .relaxed) > Trace.limit.load(ordering: .relaxed) { throw CancellationError() }
        var kept = keeps == .own ? scope : nil
        func through(_ start: ReadPath.Start, _ read: (EnvironmentScope) throws -> Trace.Part) rethrows -> Trace.Part {
            switch start {
            case .own: return try read(scope)
            case .current: return try read(.current)
            case .parent: return try scope.parent.map { try read($0) } ?? .nothing
            case .captured(let number):
                return .through(number, try captured[number]?.scope.map { try read($0) } ?? .gone)
            }
        }
        func read(_ path: ReadPath, isTried: Bool = true) throws -> Trace.Part {
            // What fails through a scope that a builder captured does not fail once that is gone.
            let isTried = if case .captured = path.start { true } else { isTried }
            return try through(path.start) { try $0.part(path.keys, path.route, isTried: isTried) }
        }
        var innermost: EnvironmentScope?
        func make(_ base: EnvironmentScope, _ other: EnvironmentScope, _ deeds: [Deed]) throws -> Trace.Part {
            var scopes: [EnvironmentScope] = []
            var parts: [Trace.Part] = []
            for deed in deeds {
                switch deed {
                case .make: scopes.insert(.empty("made", parent: scopes.first ?? base), at: 0)
                case .change(let index, let change): scopes[index % scopes.count].perform(change, captured)
                case .read(let index, let key, let route):
                    parts.append(try scopes[index % scopes.count].part([key], route))
                case .move(let index, _): scopes[index % scopes.count].parent = other
                case .readElsewhere(let index, let key):
                    scopes[index % scopes.count].readElsewhere(key)
                }
            }
            innermost = scopes.first
            return withExtendedLifetime(scopes) { .list(parts) }
        }
        let terms = try parts.map { part in
            switch part {
            case .read(let path, let isTried): return try read(path, isTried: isTried)
            case .either(let number, let first, let second):
                let salt = (try? scope.read(number, .value))??.term.salt ?? 1
                return try read(salt.isMultiple(of: 2) ? first : second)
            case .within(let start, let deeds):
                // Only one other parent, so that it is clear whether that is gone.
                let others = deeds.compactMap { if case .move(_, let other) = $0 { other } else { nil } }
                defer { innermost = nil }
                let part = try through(others.first ?? start) { other in
                    // What is read before or after a move may lead past one of the two parents.
                    if !others.isEmpty { _ = other.isClosed }
                    return try through(start) { base in
                        if !others.isEmpty { _ = base.isClosed }
                        return try make(base, other, deeds)
                    }
                }
                // A scope below one that the builder captured may lose its parent.
                let owns = ([start] + others).allSatisfy { $0 == .own || $0 == .current }
                if keeps == .made, owns { kept = innermost }
                return part
            }
        }
        return Traced(term: Trace(salt, terms), scope: kept)
    }
}
