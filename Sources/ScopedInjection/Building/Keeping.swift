/// Why a value is kept where it is, and not further out, where more scopes would share it; found only where somebody asks, or
/// observes.
enum Keeping: Sendable {
    /// The scope decides on a value that it was built from; of several, one that its builder has read itself.
    case input(ValueKey, BuilderPlace?, via: ValueKey?)
    /// The scope has the role of a value that it was built from, and that stays.
    case staying(ValueKey, via: ValueKey?)
    /// The scope has a builder or decorations of the value itself.
    case given(BuilderPlace)
    /// It is begun once in the scope of its role.
    case role(ValueKey)
    /// It was built from a default, and the scope has a policy for defaults.
    case policy(DefaultsPolicy)
    /// Its builder has caught the error `closed`, and what it returned is for the asking scope alone.
    case closed
    /// No scope decides on anything that it was built from.
    case outermost

    /// Half a sentence for a log, in which *there* is the scope that keeps the value.
    var text: String {
        switch self {
        case .input(let key, let place, let via): Self.text(key, via, place?.text ?? "is set there")
        case .staying(let key, let via): Self.text(key, via, "belongs to the role \(key.role?.name ?? "?")")
        case .given(let place): "it \(place.text)"
        case .role(let role): "it is begun once in the role \(role.name)"
        case .policy(let policy): "defaults are \(policy == .allowed ? "allowed again" : "\(policy)") there"
        case .closed: "its builder went on without what a closed scope could not keep"
        case .outermost: "no scope decides on anything that it was built from"
        }
    }

    /// Whether it goes without saying.
    var isOutermost: Bool { if case .outermost = self { true } else { false } }

    private static func text(_ key: ValueKey, _ via: ValueKey?, _ fact: String) -> String {
        key.typedName + (via.map { ", by way of \($0.name)," } ?? "") + " \(fact)"
    }
}

extension Keeping {
    /// The caller holds a line.
    ///
    /// - Parameter direct: What it was built from directly.
    init(
        _ kept: UnsafeMutablePointer<Kept>,
        of key: ValueKey,
        in keeper: NodePointer,
        _ direct: @autoclosure () -> [Input]
    ) {
        if let role = key.role, keeper.has(role) {
            self = .role(role)
            return
        }
        let decision = Look.decide(key.address, from: keeper)
        if decision.level == 0, let place = decision.provider?.object.lastPlace {
            self = .given(place)
            return
        }
        if let first = kept.inputs.first(where: {
            Self.mayDecide(on: $0, keeper) && Self($0, in: keeper) != nil
        }) {
            let direct = direct()
            // What the builder has read itself says more than what lies behind that.
            if let reason = direct.lazy.compactMap({ Self($0, in: keeper) }).first {
                self = reason
            } else {
                let via = direct.first { $0.leads(to: first, in: keeper) }
                self = Self(first, via.map { .at($0.key) }, in: keeper) ?? .outermost
            }
            return
        }
        let policy = PolicyInForce(in: keeper)
        if policy.nearest <= 0, keeper.hasParent,
            kept.inputs.contains(where: { $0.key == DefaultsPolicy.key.address })
        {
            self = .policy(policy.policy)
        } else {
            self = kept.isPinned ? .closed : .outermost
        }
    }

    /// Whether the keeper may decide on an input; of an instance there is the decision, too, but for one that stays.
    @inline(__always)
    private static func mayDecide(on input: Input, _ keeper: NodePointer) -> Bool {
        ValueKey.at(input.key).role != nil || input.past != Input.instance && keeper.decides(on: input.key)
    }

    /// The reason that an input is; nil if the keeper decides nothing about it.
    private init?(_ input: Input, _ via: ValueKey? = nil, in keeper: NodePointer) {
        let key = ValueKey.at(input.key)
        guard Self.mayDecide(on: input, keeper), key.bit != Mask.policy else { return nil }
        let past = input.isMarked ? 0 : input.past
        let decision = Look.decide(input.key, past: past, from: keeper)
        if decision.nearest <= 0 {
            self = .input(key, decision.provider?.object.lastPlace, via: via)
        } else if let role = key.role, keeper.has(role) {
            self = .staying(key, via: via)
        } else {
            return nil
        }
    }
}

extension Input {
    /// Whether it was itself built from another input.
    fileprivate func leads(to other: Input, in keeper: NodePointer) -> Bool {
        Look.find(key, past: past, from: keeper).cell?.kept?.inputs.contains(other) == true
    }
}
