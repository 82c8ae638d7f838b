import Synchronization

extension EnvironmentScope {
    // MARK: Reading

    /// The value for a key, as this scope sees it; setting it overrides it here and below.
    ///
    /// Used to declare a property, and wherever a property is too much. Reading gives the value of the nearest scope
    /// that has one, else builds it (see ``ScopeKey``). Setting nil is setting.
    ///
    /// ```swift
    /// extension EnvironmentScope {
    ///     var port: Int { get { self[PortKey.self] } set { self[PortKey.self] = newValue } }
    /// }
    /// ```
    ///
    /// A read that fails ends the program with the text of the ``ScopeError``; ``value(for:)`` throws it instead.
    public subscript<Key: ScopeKey>(key: Key.Type) -> Key.Value {
        get {
            let line = startLooking()
            if let cell = currentCell(for: ObjectIdentifier(key), line) {
                let value = cell._withUnsafeGuaranteedRef { $0.value(as: Key.Value.self) }
                table.unlockForReading(line)
                return value
            }
            table.unlockForReading(line)
            return valueOrEnd(key)
        }
        set {
            if case .scope = role, !Build.isAnyInProgress {
                store(newValue, for: AnyKey(key))
            } else {
                changeable("Setting \(AnyKey(key).name)").store(newValue, for: AnyKey(key))
            }
        }
    }

    /// The value for a key, as this scope sees it, or an error that says why there is none.
    ///
    /// ```swift
    /// static func makeValue(in scope: EnvironmentScope) throws -> any Database {
    ///     try SQLite(path: scope.value(for: DatabasePathKey.self))
    /// }
    /// ```
    ///
    /// - Throws: ``ScopeError``, also where the builder of the value, or of one it needs, threw.
    public func value<Key: ScopeKey>(for key: Key.Type) throws(ScopeError) -> Key.Value {
        switch role {
        case .scope:
            try resolveWatched(key, for: nil)
        case .global:
            try EnvironmentScope.global.resolve(key, for: nil)
        case .builder(let build):
            try standInOrThrow(for: AnyKey(key)).resolveWatched(key, for: build)
        }
    }

    /// The value that is set in this scope itself, or was built and is kept here; nil otherwise.
    ///
    /// Builds nothing.
    ///
    /// ```swift
    /// #expect(request.localValue(for: DatabaseKey.self) == nil)   // shared with the other requests
    /// ```
    public func localValue<Key: ScopeKey>(for key: Key.Type) -> Key.Value? {
        guard let scope = standIn else { return nil }
        while case .cell(let cell)? = try? scope.find(AnyKey(key)), cell.owner == ObjectIdentifier(scope) {
            let value = scope.look { table -> Key.Value? in
                guard table.currentCell(for: ObjectIdentifier(key))?.takeUnretainedValue() === cell else { return nil }
                return cell.value(as: Key.Value.self)
            }
            // None where something has changed since it was found.
            if let value { return value }
        }
        return nil
    }

    /// Checks that every one of the keys has a value, building those that are not there yet.
    ///
    /// Call it when the program starts, so that a setting that is missing is known before the first request.
    ///
    /// ```swift
    /// try app.validate(DatabaseKey.self, TokenKey.self)
    /// ```
    ///
    /// A builder that reads a value through a property ends the program where the value is missing, because a property
    /// cannot throw; read with ``value(for:)`` in builders to have it reported here.
    ///
    /// - Throws: The ``ScopeError`` of the key that has no value; where several have none, one error
    ///   with all of them in ``ScopeError/failures``.
    public func validate<each Key: ScopeKey>(_ keys: repeat (each Key).Type) throws(ScopeError) {
        var failures: [ScopeError] = []
        for key in repeat each keys {
            do {
                _ = try value(for: key)
            } catch {
                failures.append(error)
            }
        }
        guard let first = failures.first else { return }
        if failures.count == 1 { throw first }
        var error = ScopeError(.invalid)
        error.failures = failures
        throw error
    }

    // MARK: Setting

    /// Gives this scope, and those below it, a builder for the key's value.
    ///
    /// Use it for what is expensive, or needs other values. The builder takes the place of the key's own
    /// (see ``ScopeKey/makeValue(in:)``), so it runs when the value is first read, sees its inputs as the asking scope
    /// does, and what it builds is kept in this scope or below. Of a set value and a builder the later one stands.
    /// A builder uses the scope it is given; one that captures this scope keeps it alive for good, as this scope keeps
    /// the builder.
    ///
    /// ```swift
    /// app.provide(DatabaseKey.self) { scope in try SQLite(path: scope.value(for: DatabasePathKey.self)) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - fileID: Where the builder stands, for ``explain(_:)``.
    ///   - line: Where the builder stands, for ``explain(_:)``.
    ///   - make: Builds the value from what the scope it is given sees.
    public func provide<Key: ScopeKey>(
        _ key: Key.Type,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Key.Value
    ) {
        let scope = changeable("Providing a builder for \(AnyKey(key).name)")
        let version = scope.table.locks.nextVersion()
        let provider = Provider(version: version, fileID: fileID, line: line, make: make)
        let (garbage, names) = scope.changeBindings(of: AnyKey(key)) { table, names, _, isFollowed in
            let garbage = table.removeBindings(of: names)
            table.update(names.canonical.id) { $0.makeLocal().provider = provider }
            table.invalidate(isFollowed: isFollowed)
            return garbage
        }
        withExtendedLifetime(garbage) {}
        scope.watch?.noteSet(names, in: scope)
    }

    /// Removes what is set, provided or kept for the key in this scope, which then sees what its parent sees.
    ///
    /// - Returns: The value that was set or kept here.
    @discardableResult
    public func removeValue<Key: ScopeKey>(for key: Key.Type) -> Key.Value? {
        let scope = changeable("Removing the value for \(AnyKey(key).name)")
        let value = scope.localValue(for: key)
        let (garbage, _) = scope.changeBindings(of: AnyKey(key)) { table, names, _, isFollowed in
            let garbage = table.removeBindings(of: names)
            table.invalidate(isFollowed: isFollowed)
            return garbage
        }
        withExtendedLifetime(garbage) {}
        return value
    }

    /// Removes everything that is set, provided or kept in this scope, and its aliases.
    public func removeAll() {
        let garbage = changeable("Removing all values").change { table, _, isFollowed in
            let garbage = table.removeBindings(includingAliases: true)
            table.invalidate(isFollowed: isFollowed)
            if Alias.isInUse { table.locks.noteNames() }
            return garbage
        }
        withExtendedLifetime(garbage) {}
    }

    /// Sets a value through its property and gives the scope back, so that calls can follow each other.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil).with(\.port, 9090).with(\.user, alice)
    /// ```
    ///
    /// Of a longer path, `\.settings.url`, the first part is read and a changed copy of it is set, as in an assignment.
    /// Where a path leads on to a value of the same type (`\.transform.inverted`), write the assignment instead.
    @discardableResult
    public func with<Value>(
        _ property: ReferenceWritableKeyPath<EnvironmentScope, Value>,
        _ value: Value
    ) -> Self {
        PathAssignment(scope: self, value: value).run { self[keyPath: property] = value }
        return self
    }

    /// Makes two keys one value from this scope down: a read of either gives the other's value, a set of either sets both.
    ///
    /// For aliases that are decided at run time. One that is known when the code is written is better a property:
    /// `var main: Queue { get { mainQueue } set { mainQueue = newValue } }`.
    ///
    /// ```swift
    /// scope.alias(PrimaryKey.self, to: ReplicaKey.self)
    /// ```
    ///
    /// An alias that closes a circle ends the program; one that does so only after a new parent was given is an error at
    /// the reads it makes impossible.
    public func alias<A: ScopeKey, B: ScopeKey>(_ key: A.Type, to other: B.Type) where A.Value == B.Value {
        let scope = changeable("Declaring an alias")
        let alias = Alias(key: AnyKey(key), target: AnyKey(other))
        Alias.noteUse()
        scope.change { table, _, _ in
            table.update(alias.key.id) { $0.makeLocal().alias = alias }
            table.locks.noteNames()
        }
        _ = scope.namesOrEnd(of: alias.key)
    }
}

// MARK: - Behind the public members

extension EnvironmentScope {
    /// The cell to read, where it is known; the caller holds the line.
    @inline(__always)
    private func currentCell(for key: ObjectIdentifier, _ line: Int) -> Unmanaged<AnyCell>? {
        guard isProxy else { return table.currentCell(for: key) }
        guard let address = table.locks.root.pointee.load(ordering: .acquiring) else { return nil }
        return GlobalScope.scope(at: address)._withUnsafeGuaranteedRef { global in
            global.table.isRead(under: line) ? global.table.currentCell(for: key) : nil
        }
    }

    @inline(never)
    private func valueOrEnd<Key: ScopeKey>(_ key: Key.Type) -> Key.Value {
        if PathAssignment.isAnyInProgress, let value = PathAssignment.value(of: Key.Value.self, in: self) {
            return value
        }
        var triedBefore: Set<ObjectIdentifier> = []
        while true {
            do {
                return try value(for: key)
            } catch {
                guard let watch = watchInForce, watch.takes(error.located(), triedBefore: &triedBefore) else {
                    error.endProgram()
                }
            }
        }
    }

    private func namesOrEnd(of key: AnyKey) -> KeyNames {
        do {
            return try names(of: key)
        } catch {
            error.endProgram()
        }
    }

    private func standInOrThrow(for key: AnyKey) throws(ScopeError) -> EnvironmentScope {
        guard let standIn else { throw Self.goneStandIn(key) }
        return standIn
    }

    /// The error of a builder's scope that outlived the scope which kept the value.
    static func goneStandIn(_ key: AnyKey) -> ScopeError {
        ScopeError(
            .parentReleased,
            key: key,
            detail: "the value that was built with this scope has outlived the scope that kept it",
            advice: "hold that scope for as long as the value is used, or read what the value needs while it is built."
        )
    }

    /// The scope itself, where it may be changed by its user.
    func changeable(_ action: @autoclosure () -> String) -> EnvironmentScope {
        Build.current?.noteChange()
        switch role {
        case .scope: return self
        case .global: return .global
        case .builder(let build):
            ScopeError(
                .invalid,
                key: build.key,
                detail: """
                    \(action()) through the scope that was given to the builder of \(build.key.name) is not possible: \
                    it only resolves.
                    """,
                advice: "set values where the scope is made, or build them with a key of their own."
            ).endProgram()
        }
    }

    /// Changes what the scope itself says of a key under all its names, which are given back with what `body` gives.
    ///
    /// - Parameter body: Is given the table, the names, the stamp of set values, and whether others read through the scope.
    @inline(__always)
    private func changeBindings<Result>(
        of key: AnyKey,
        _ body: (borrowing ScopeTable, KeyNames, UInt64, Bool) -> sending Result
    ) -> (Result, KeyNames) {
        while true {
            let stamp = table.locks.stampOfSetValues
            let names = namesOrEnd(of: key)
            let result = change { table, _, isFollowed -> Result? in
                // The names may be others by now.
                guard table.locks.stampOfSetValues == stamp else { return nil }
                return body(table, names, stamp, isFollowed)
            }
            if let result { return (result, names) }
        }
    }

    // Of the value's type, not the key's, which would have to be asked for the other.
    private func store<Value>(_ newValue: Value, for key: AnyKey) {
        let version = table.locks.nextVersion()
        // Takes up what is replaced, to be let go of without locks.
        var value = newValue
        let (garbage, names) = changeBindings(of: key) { table, names, stamp, isFollowed -> Garbage? in
            if names.others.isEmpty, let own = table.withSlot(for: names.canonical.id, { $0.own }) {
                let cell = own._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Cell<Value>.self) }
                cell.exchange(&value, version: version)
                // Only what was built from the old value has to find out; who reads the cell sees the new one.
                if cell.isInput.exchange(false, ordering: .relaxed) { table.invalidate(isFollowed: isFollowed) }
                return nil
            }
            let garbage = table.removeBindings(of: names)
            let type = CellClasses.shared.cellClass(for: names.canonical.id, of: Value.self)
            table.putOwnCell(
                type.init(newValue, owner: ObjectIdentifier(self), version: version),
                for: names.canonical.id,
                stamp: stamp
            )
            table.invalidate(isFollowed: isFollowed)
            return garbage
        }
        withExtendedLifetime(garbage) {}
        _ = consume value
        watch?.noteSet(names, in: self)
        Ownership.releaseReferences(in: newValue, storedIn: self)
    }
}
