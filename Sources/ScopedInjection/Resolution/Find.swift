/// What is known of a key's value before anything is built.
enum Finding {
    /// The cell it is in.
    case cell(AnyCell)
    /// It has to be built, like this.
    case unbuilt(Plan)
}

/// How a value that is not there is to be built.
struct Plan {
    /// The key, after aliases.
    let key: AnyKey
    /// The builder that was provided; nil for the key's own.
    let provider: AnyProvider?
    /// The outermost scope that may keep the value: the one that provided the builder, else the root.
    let limit: EnvironmentScope

    /// The version of the binding that decided; 0 where none did.
    var decision: UInt64 { provider?.version ?? 0 }
}

/// What a scope itself says about a key.
enum OwnBinding {
    case set(AnyCell)
    case provided(AnyProvider)
}

/// A kept value whose inputs are being looked at; a linked list, so that going round in circles is noticed.
final class Inspection {
    let scope: ObjectIdentifier
    let key: ObjectIdentifier
    let outer: Inspection?

    init(_ scope: EnvironmentScope, _ key: AnyKey, within outer: Inspection?) {
        self.scope = ObjectIdentifier(scope)
        self.key = key.id
        self.outer = outer
    }

    func contains(_ scope: EnvironmentScope, _ key: AnyKey) -> Bool {
        var inspection: Inspection? = self
        while let here = inspection {
            if here.scope == ObjectIdentifier(scope), here.key == key.id { return true }
            inspection = here.outer
        }
        return false
    }
}

extension EnvironmentScope {
    /// Finds the value of a key as this scope sees it, without building anything.
    ///
    /// What is found is remembered in the scope, so that the next read needs no search.
    func find(_ key: AnyKey, within inspection: Inspection? = nil) throws(ScopeError) -> Finding {
        while true {
            let stamp = table.stamp
            if let cell = currentCell(for: key) { return .cell(cell) }
            do {
                let finding = try search(key, stamp, inspection)
                guard case .cell(let cell) = finding else {
                    if table.stamp == stamp { return finding }
                    continue
                }
                if remember(key, cell, stamp: stamp) { return finding }
            } catch {
                // An error that a change has overtaken tells nothing.
                if table.stamp == stamp { throw error }
            }
        }
    }

    private func currentCell(for key: AnyKey) -> AnyCell? {
        look { $0.currentCell(for: key.id)?.takeUnretainedValue() }
    }

    private func search(_ key: AnyKey, _ stamp: UInt64, _ inspection: Inspection?) throws(ScopeError) -> Finding {
        let names = try names(of: key)
        switch names.canonical.type.lifetime {
        case .shared:
            return try searchShared(names, stamp, inspection)
        case .scoped:
            switch try decide(key) {
            case .set(let cell):
                dropKept(names.canonical, stamp: stamp)
                return .cell(cell)
            case .build(let plan): return ownKept(plan, stamp: stamp, inspection).map { .cell($0) } ?? .unbuilt(plan)
            }
        case .transient:
            switch try decide(key) {
            case .set(let cell): return .cell(cell)
            case .build(let plan): return .unbuilt(plan)
            }
        }
    }

    private func searchShared(
        _ names: KeyNames,
        _ stamp: UInt64,
        _ inspection: Inspection?
    ) throws(ScopeError) -> Finding {
        let key = names.canonical
        let plan: Plan
        switch ownBinding(for: names) {
        case .set(let cell):
            return .cell(cell)
        case .provided(let provider):
            plan = Plan(key: key, provider: provider, limit: self)
        case nil:
            switch followNextScope() {
            case .none:
                plan = Plan(key: key, provider: nil, limit: self)
            case .gone:
                throw parentReleased(key)
            case .scope(let parent):
                switch try parent.find(key, within: inspection) {
                case .cell(let cell):
                    if seesTheSame(cell, key, inspection) {
                        dropKept(key, stamp: stamp)
                        return .cell(cell)
                    }
                    guard case .build(let own) = try decide(key) else { return .cell(cell) }
                    plan = own
                case .unbuilt(let outer):
                    plan = outer
                }
            }
        }
        return ownKept(plan, stamp: stamp, inspection).map { .cell($0) } ?? .unbuilt(plan)
    }

    /// What the nearest scope says that says anything.
    func decide(_ key: AnyKey) throws(ScopeError) -> Decision {
        let key = try names(of: key).canonical
        var scope = self
        while true {
            switch scope.ownBinding(for: try scope.names(of: key)) {
            case .set(let cell): return .set(cell)
            case .provided(let provider): return .build(Plan(key: key, provider: provider, limit: scope))
            case nil: break
            }
            switch scope.followNextScope() {
            case .none: return .build(Plan(key: key, provider: nil, limit: scope))
            case .gone: throw scope.parentReleased(key)
            case .scope(let parent): scope = parent
            }
        }
    }

    /// What the nearest binding of a key asks for.
    enum Decision {
        case set(AnyCell)
        case build(Plan)
    }

    /// The binding of this scope itself: of several, under several names or set and provided, the latest.
    private func ownBinding(for names: KeyNames) -> OwnBinding? {
        let binding = look { table -> OwnBinding? in
            var latest: OwnBinding?
            var version: UInt64 = 0
            names.forEach { name in
                table.withSlot(for: name.id) { slot in
                    if let cell = slot.own?.takeUnretainedValue(), cell.version > version {
                        version = cell.version
                        latest = .set(cell)
                    }
                    if let provider = slot.provider, provider.version > version {
                        version = provider.version
                        latest = .provided(provider)
                    }
                }
            }
            return latest
        }
        if binding != nil, let watch, watch.watches(self) { watch.noteRead(names) }
        return binding
    }

    func parentReleased(_ key: AnyKey) -> ScopeError {
        ScopeError(
            .parentReleased,
            key: key,
            searched: chainNames,
            detail: "\(Self.display(parentName)), the parent of \(displayName), is gone"
        )
    }
}
