import ScopedInjection

/// The chain of a scope; a place is a position in it, and the scope itself has place 0.
struct View {
    let numbers: [Int]
    let scopes: [Model.Scope]
    /// Whether a parent is gone.
    let isCut: Bool

    /// R1: the nearest entry beyond a place.
    func entry(of value: Int, beyond place: Int) -> (place: Int, entry: Model.Entry)? {
        for place in scopes.indices.dropFirst(place + 1) {
            if let entry = scopes[place].entries[value] { return (place, entry) }
        }
        return nil
    }

    /// R12: the value at the end of the aliases; nil if they form a circle.
    func target(of value: Int) -> Int? {
        var seen = [value]
        while case .alias(let target)? = entry(of: seen[seen.count - 1], beyond: -1)?.entry.base {
            if seen.contains(target) { return nil }
            seen.append(target)
        }
        return seen.last
    }

    /// R13: the policy in force, and the outermost place up to which it holds without a break; none if nothing says
    /// anything else than what holds without a policy.
    var policy: (policy: DefaultsPolicy, place: Int?) {
        let said = scopes.indices.filter { scopes[$0].policy != nil }
        guard let first = said.first, let policy = scopes[first].policy else { return (.allowed, nil) }
        let same = said.prefix { scopes[$0].policy == policy }
        return (policy, policy == .allowed && same.count == said.count ? nil : same.last)
    }
}

/// What a value was built from.
struct Inputs {
    /// The nearest place that decided one of them.
    private(set) var nearest = Int.max
    /// The same for the same inputs.
    private(set) var signature: UInt64 = 0
    /// Whether what is built from them is for the asking scope alone: a scoped value is one of them, or a closed scope could
    /// not keep one.
    var isPinned = false

    mutating func note(_ value: Int, _ version: Int, at place: Int?) {
        nearest = min(nearest, place ?? .max)
        signature = mixed(signature ^ mixed(UInt64(bitPattern: Int64(value))) &+ UInt64(bitPattern: Int64(version)))
    }

    mutating func formUnion(_ other: Inputs) {
        nearest = min(nearest, other.nearest)
        signature = mixed(signature &* 31 &+ other.signature)
        isPinned = isPinned || other.isPinned
    }
}

/// The rules R1, R2, R3, R6, R11, R12, R13 and R14 for the reads of one scope: nothing is kept, every builder runs at each read.
struct Evaluation {
    struct Failure: Error, Equatable {
        let code: ScopeError.Code
        /// Whether it is the asked value, no other, that is missing; decorating alone does not make it one.
        var isNil = false
    }

    struct Reading {
        enum Origin { case set, constant, built }
        let number: UInt64
        /// The value at the end of the aliases.
        let value: Int
        let origin: Origin
        /// The place of the scope in which it is set, or has to be kept; nil for none.
        var place: Int?
        var signature: UInt64 = 0
    }

    private typealias Running = (value: Int, version: Int, needsItself: Bool)

    /// Stands for the policy among the inputs.
    private static let policy = -1
    /// Versions of what no scope decided.
    private static let (byDefault, gone) = (0, -1)

    let values: [Program.Declaration]
    let view: View
    private var running: [Running] = []

    init(_ values: [Program.Declaration], _ view: View) { (self.values, self.view) = (values, view) }

    mutating func read(_ value: Int) -> Result<Reading, Failure> {
        var inputs = Inputs()
        return Result { () throws(Failure) in try read(value, for: &inputs) }
    }

    /// Reads a value; `user` is what reads it.
    private mutating func read(_ asked: Int, beyond last: Int = -1, for user: inout Inputs) throws(Failure) -> Reading {
        var (value, beyond) = (asked, last)
        for _ in 0...values.count {
            guard let (place, entry) = view.entry(of: value, beyond: beyond) else {
                user.note(value, view.isCut ? Self.gone : Self.byDefault, at: nil)
                if view.isCut { throw Failure(code: .parentReleased) }
                return try ownDefault(of: value, beyond: beyond, for: &user)
            }
            user.note(value, entry.version, at: place)
            switch entry.base {
            case .alias(let target):
                (value, beyond) = (target, -1)
            case .set(let number) where entry.decorations.isEmpty:
                return Reading(number: number, value: value, origin: .set, place: place)
            default:
                return try build(value, entry.version, decidedAt: place, beyond: beyond, for: &user) {
                    model,
                    inputs throws(Failure) in
                    try model.number(of: entry, for: value, at: place, &inputs)
                }
            }
        }
        throw Failure(code: .cycle)
    }

    /// R14: what the scope has, decorated in turn; where it has nothing else, what lies beyond it is decorated.
    private mutating func number(of entry: Model.Entry, for value: Int, at place: Int, _ inputs: inout Inputs)
        throws(Failure) -> UInt64
    {
        var number: UInt64
        switch entry.base {
        case .set(let set): number = set
        case .provided(let recipe): number = try run(recipe, nil, &inputs)
        default: number = try read(value, beyond: place, for: &inputs).number
        }
        for recipe in entry.decorations { number = try run(recipe, number, &inputs) }
        return number
    }

    /// R13: the value's own declaration decides, unless a policy does.
    private mutating func ownDefault(of value: Int, beyond: Int, for user: inout Inputs) throws(Failure) -> Reading {
        let (kind, policy) = (values[value].kind, view.policy)
        let concerns = !kind.isSafe
        let isReplaced = concerns && policy.policy != .allowed && kind.hasTestValue
        let version = policy.place == nil ? 0 : policy.policy.number
        if concerns { user.note(Self.policy, version, at: policy.place) }
        if concerns, policy.policy == .forbidden, !isReplaced { throw Failure(code: .defaultForbidden) }
        if kind.form == .required, !isReplaced { throw Failure(code: .missingValue, isNil: true) }
        switch kind.form {
        case .optional: return Reading(number: 0, value: value, origin: .constant)
        case .constant:
            return Reading(number: Recipe.constant(of: value, isReplaced), value: value, origin: .constant)
        case .lazy, .required:
            let recipe = isReplaced ? Recipe(salt: Recipe.constant(of: value, true)) : values[value].recipe
            let last = view.scopes.count - 1
            return try build(value, Self.byDefault, decidedAt: last, beyond: beyond, for: &user) {
                model,
                inputs throws(Failure) in
                if concerns { inputs.note(Self.policy, version, at: policy.place) }
                return try model.run(recipe, nil, &inputs)
            }
        }
    }

    /// R3: builds a value, and finds the scope that has to keep it.
    private mutating func build(
        _ value: Int,
        _ version: Int,
        decidedAt decided: Int,
        beyond: Int,
        for user: inout Inputs,
        _ body: (inout Evaluation, inout Inputs) throws(Failure) -> UInt64
    ) throws(Failure) -> Reading {
        let lifetime = values[value].kind.lifetime
        let outermost = lifetime == .scoped ? 0 : decided
        // R11: before the builder runs, where it is known before that nothing can keep the value.
        if lifetime != .transient, outermost > beyond, view.scopes[...outermost].allSatisfy(\.isClosed) {
            user.isPinned = true
            throw Failure(code: .closed)
        }
        // R6: all that is being built since the value was first asked for needs itself, even if it goes on.
        if let first = running.firstIndex(where: { $0.value == value && $0.version == version }) {
            for index in first..<running.count { running[index].needsItself = true }
            throw Failure(code: .cycle)
        }
        var inputs = Inputs()
        // Whether a scoped value fails may depend on the asking scope too.
        inputs.isPinned = lifetime == .scoped
        defer { user.formUnion(inputs) }
        running.append((value, version, false))
        let result = Result { () throws(Failure) in try body(&self, &inputs) }
        let needsItself = running.removeLast().needsItself
        let number = try result.get()
        if needsItself { throw Failure(code: .cycle) }
        let place = inputs.isPinned ? 0 : min(inputs.nearest, outermost)
        // What would be kept no further out than where the read began is a part of what is built from it.
        if lifetime == .transient || place <= beyond { return Reading(number: number, value: value, origin: .built) }
        if view.scopes[place].isClosed {
            inputs.isPinned = true
            throw Failure(code: .closed)
        }
        inputs.note(value, version, at: nil)
        let signature = inputs.signature
        return Reading(number: number, value: value, origin: .built, place: place, signature: signature)
    }

    /// R4: a builder reads as the asking scope sees.
    private mutating func run(_ recipe: Recipe, _ inherited: UInt64?, _ inputs: inout Inputs) throws(Failure) -> UInt64
    {
        try recipe.value(inherited, unlucky: Failure(code: .makeFailed)) { read throws(Failure) in
            switch read {
            case .current: return UInt64(view.numbers[0])
            case .value(let other), .reference(let other), .ifAny(let other):
                do throws(Failure) { return try self.read(other, for: &inputs).number } catch {
                    if error.isNil, case .ifAny = read { return 2 }
                    throw Failure(code: error.code)
                }
            }
        }
    }
}

extension Result {
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

extension DefaultsPolicy {
    fileprivate var number: Int { [.allowed: 1, .forbidden: 2, .reported: 3][self] ?? 0 }
}

extension Recipe {
    /// The number of a declared constant, or of what replaces a default in tests.
    static func constant(of value: Int, _ isInTests: Bool) -> UInt64 {
        mixed((isInTests ? 3_000 : 2_000) + UInt64(value))
    }
}
