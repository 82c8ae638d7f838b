import ScopedInjection

/// The chain of one scope, and what the scope sees.
///
/// A place is a position in the chain; the scope itself has place 0.
struct View {
    let numbers: [Int]
    let scopes: [Model.Scope]
    let isCut: Bool

    /// The number of a scope that a builder made.
    static let made = -1

    /// The number of the parent plus 1; 0 if there is none, or a builder made it.
    var numberOfParent: UInt64 { numbers.count > 1 ? UInt64(numbers[1] + 1) : 0 }

    /// The decision on a key, and its place; nil for the key's own builder, at the outermost scope.
    struct Decision {
        let bound: Model.Bound?
        let place: Int
        let isGone: Bool

        var target: Int? { if case .alias(let target) = bound?.binding { target } else { nil } }
    }

    func decision(on key: Int, from first: Int = 0) -> Decision {
        for place in scopes.indices.dropFirst(first) {
            if let bound = scopes[place].bindings[key] { return Decision(bound: bound, place: place, isGone: false) }
        }
        return Decision(bound: nil, place: scopes.count - 1, isGone: isCut)
    }

    /// The key at the end of all aliases; nil if they form a circle.
    func target(of key: Int) -> Int? {
        var seen = [key]
        while let target = decision(on: seen[seen.count - 1]).target {
            if seen.contains(target) { return nil }
            seen.append(target)
        }
        return seen[seen.count - 1]
    }

    func forbidsDefaults(at place: Int) -> Bool {
        scopes[place...].lazy.compactMap(\.policy).first == .forbidden
    }

    /// The outermost place up to which the same policy holds without a break.
    var placeOfPolicy: Int? {
        let isForbidden = forbidsDefaults(at: 0)
        return scopes.indices.prefix { forbidsDefaults(at: $0) == isForbidden }.last
    }
}

/// A set of places in a chain.
struct Places {
    private var bits: UInt64 = 0

    var nearest: Int { bits == 0 ? .max : bits.trailingZeroBitCount }

    /// The places as the parent sees them.
    var fromOutside: Places {
        var places = Places()
        places.bits = bits >> 1
        return places
    }

    mutating func insert(_ place: Int) { bits |= 1 << UInt64(place) }

    mutating func formUnion(_ other: Places) { bits |= other.bits }
}

extension Model {
    struct Failure: Error, Equatable {
        let code: ScopeError.Code
        /// The key that has no value; nil once another key's build has failed with it.
        var missing: Int?

        static func == (one: Failure, other: Failure) -> Bool { one.code == other.code }
    }

    struct Reading {
        let value: UInt64
        /// The key of the value.
        let key: Int
        /// The place of the scope in which the value is set or has to be kept.
        let place: Int
        /// Nil for a set value.
        let lifetime: ValueLifetime?
    }
}

/// A naive evaluation, which runs every builder at each read.
struct Evaluation {
    typealias Failure = Model.Failure
    typealias Reading = Model.Reading

    private struct Building {
        let key: Int
        let order: Int
        /// The asking scope.
        let scope: Int
        /// The number of reads through captured scopes that the build is part of.
        let throughs: Int
        var needsItself = false
    }

    private let model: Model
    /// The builds in progress, outermost first.
    private var underway: [Building] = []
    private var throughs = 0
    /// Whether a value that needs itself through another scope was met.
    ///
    /// If a builder catches that error, the first read decides whether it gives a value, so the rules leave the
    /// result open.
    private(set) var isMoot = false

    init(_ model: Model) { self.model = model }

    /// Evaluates a read; `places` gets the places that supplied something.
    ///
    /// - Parameter past: What is skipped: the places before this one, for this key, or for all if there is none.
    mutating func read(
        _ asked: Int,
        past: (key: Int?, place: Int)? = nil,
        _ view: View,
        _ places: inout Places
    ) throws(Failure) -> Reading {
        var (key, from) = (asked, past?.place ?? 0)
        var decision = view.decision(on: key, from: from)
        var seen: Set = [[key, from]]
        while let target = decision.target {
            places.insert(decision.place)
            key = target
            from = past.map { $0.key == nil || $0.key == key ? $0.place : 0 } ?? 0
            if !seen.insert([key, from]).inserted { throw Failure(code: .cycle) }
            decision = view.decision(on: key, from: from)
        }
        if decision.isGone { throw Failure(code: .parentReleased) }
        do throws(Failure) {
            switch decision.bound?.binding {
            case .set(let value):
                places.insert(decision.place)
                return Reading(value: value, key: key, place: decision.place, lifetime: nil)
            case .provided(let provision):
                return try build(key, provision, decision, view, &places)
            case .alias, nil:
                let own = Model.Provision(recipe: model.keys[key].recipe, salt: 1_000 + UInt64(key), name: key)
                return try build(key, own, decision, view, &places)
            }
        } catch {
            if error.missing == key { throw Failure(code: error.code, missing: asked) }
            throw error
        }
    }

    private mutating func build(
        _ key: Int,
        _ provision: Model.Provision,
        _ decision: View.Decision,
        _ view: View,
        _ places: inout Places
    ) throws(Failure) -> Reading {
        let order = decision.bound?.order ?? 0
        let lifetime = model.keys[key].lifetime
        var inputs = Places()
        if order > 0 { inputs.insert(decision.place) }
        if order == 0, !model.keys[key].isSafe {
            if let place = view.placeOfPolicy { inputs.insert(place) }
            if view.forbidsDefaults(at: 0) {
                places.formUnion(inputs)
                throw Failure(code: .defaultForbidden)
            }
        }
        let building = Building(key: key, order: order, scope: view.numbers[0], throughs: throughs)
        let first = underway.firstIndex { $0.key == key && $0.order == order && $0.scope == building.scope }
        if let first {
            if underway[first].throughs < throughs { isMoot = true }
            for index in first..<underway.count { underway[index].needsItself = true }
            places.formUnion(inputs)
            throw Failure(code: .cycle)
        }
        underway.append(building)
        let built: Result<UInt64, Failure>
        do throws(Failure) {
            if order == 0, model.keys[key].isRequired { throw Failure(code: .missingValue, missing: key) }
            let unlucky = Failure(code: .makeFailed)
            let value = try provision.recipe.value(salt: provision.salt, unlucky: unlucky) { read throws(Failure) in
                switch read {
                case .inherited: try past(key, of: key, from: decision.place, view, &inputs).value
                case .past(let other):
                    try past(other == provision.name ? key : other, of: key, from: decision.place, view, &inputs).value
                default: try input(read, view, &inputs)
                }
            }
            built = .success(value)
        } catch {
            // To a builder that is provided, the value itself is an input like any other.
            let isOwn = error.missing == key && order == 0
            built = .failure(isOwn ? error : Failure(code: error.code))
        }
        let needsItself = underway.removeLast().needsItself
        do throws(Failure) {
            if needsItself { throw Failure(code: .cycle) }
            let value = try built.get()
            if lifetime == .transient {
                places.formUnion(inputs)
                return Reading(value: value, key: key, place: 0, lifetime: lifetime)
            }
            let place = lifetime == .scoped ? 0 : min(inputs.nearest, decision.place)
            places.insert(place)
            // They show where a scope that a builder made keeps the value.
            places.formUnion(inputs)
            if view.scopes[place].isClosed { throw Failure(code: .closed) }
            return Reading(value: value, key: key, place: place, lifetime: lifetime)
        } catch {
            places.formUnion(inputs)
            // Whether it fails may depend on what no other scope can see.
            if lifetime == .scoped { places.insert(0) }
            throw error
        }
    }

    /// The input that a builder reads; nil if there is none.
    private mutating func input(
        _ read: Recipe.Read,
        _ view: View,
        _ inputs: inout Places
    ) throws(Failure) -> UInt64? {
        switch read {
        case .key(let key):
            return try self.read(key, view, &inputs).value
        case .ifAny(let key):
            do throws(Failure) {
                return try self.read(key, view, &inputs).value
            } catch {
                if error.missing == key { return nil }
                throw error
            }
        case .through(let scope, let key):
            // An input that does not affect where the value is kept.
            var ignored = Places()
            throughs += 1
            defer { throughs -= 1 }
            return try self.read(key, model.view(of: scope), &ignored).value
        case .ask(let scope):
            let isClosed = model.scopes[scope]?.isClosed == true
            return (isClosed ? 1 : 0) + 2 * model.view(of: scope).numberOfParent
        case .askParent:
            inputs.insert(0)
            // The parent of a scope that a builder made is the one that asks there.
            if view.numbers[0] == View.made { inputs.insert(1) }
            return view.numberOfParent
        case .within(let overridden, let key):
            var made = Model.Scope(parent: .none, policy: nil)
            made.bindings[overridden] = (.set(Recipe.madeValue), Int.max)
            let below = View(numbers: [View.made] + view.numbers, scopes: [made] + view.scopes, isCut: view.isCut)
            var places = Places()
            defer { inputs.formUnion(places.fromOutside) }
            return try self.read(key, below, &places).value
        case .inherited, .past:
            return nil
        }
    }

    /// The value past the scope that provided the builder.
    private mutating func past(
        _ key: Int,
        of own: Int,
        from place: Int,
        _ view: View,
        _ inputs: inout Places
    ) throws(Failure) -> Reading {
        try read(key, past: (own, place + 1), view, &inputs)
    }
}
