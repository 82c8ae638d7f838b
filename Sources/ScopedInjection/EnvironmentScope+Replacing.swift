/// How far `replace(in:options:)` and `validateReferences(in:options:)` go.
public struct ReplaceOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Goes on into the values that the references resolve to.
    ///
    /// It builds those values. Where `replace(in:)` comes by one that does not resolve, it ends the program; call
    /// `validateReferences(in:)` first.
    ///
    /// Do not use it with a ``ValueLifetime/transient`` value that refers to its own kind: each read makes another
    /// one, so the walk would not end.
    public static let recursive = ReplaceOptions(rawValue: 1)

    /// Goes on into stored properties: structs, classes, tuples, enum payloads, optionals, collections.
    public static let nested = ReplaceOptions(rawValue: 2)

    /// Binds the references without keeping the scope alive.
    ///
    /// Use it for objects inside a value of the scope. Otherwise the scope would keep itself alive. An instance that is itself a
    /// value of the scope does not need it. A read that cannot throw ends the program once the scope is gone.
    public static let unowned = ReplaceOptions(rawValue: 4)
}

extension EnvironmentScope {
    /// Makes every reference that is a stored property of an instance read from this scope.
    ///
    /// Use it to move existing objects to another scope, in a test or when a request takes them over. It includes the
    /// properties of superclasses. It uses reflection: no other thread may change the instance meanwhile, and a type
    /// with a custom mirror shows only what that mirror does.
    ///
    /// ```swift
    /// let service = Service()
    /// test.replace(in: service)
    /// ```
    ///
    /// The references keep this scope and its whole chain alive, unless the instance is itself a value of the scope
    /// or its chain, now or later. For objects deeper inside such a value use ``ReplaceOptions/unowned``.
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replace(in instance: Any, options: ReplaceOptions = []) -> Int {
        replace(inAll: [instance], options)
    }

    /// Makes every reference that is a stored property of one of the instances read from this scope.
    ///
    /// ```swift
    /// test.replace(in: [users, orders])
    /// ```
    ///
    /// It takes an instance that is itself a sequence for a sequence of instances. Write `as Any` to bind its own references.
    /// No other thread may change the instances meanwhile.
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replace<S: Sequence>(in instances: S, options: ReplaceOptions = []) -> Int {
        replace(inAll: instances.map { $0 as Any }, options)
    }

    /// Makes every reference that is a stored property of one of the instances read from this scope.
    ///
    /// ```swift
    /// test.replace(in: users, orders)
    /// ```
    ///
    /// No other thread may change the instances meanwhile.
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replace(in first: Any, _ second: Any, _ rest: Any..., options: ReplaceOptions = []) -> Int {
        replace(inAll: [first, second] + rest, options)
    }

    /// Binds the references in the values that this scope holds, set or kept, to this scope.
    ///
    /// The references do not keep the scope alive. No other thread may change the values meanwhile. It ends the program if the
    /// scope is one that a builder was given.
    ///
    /// ```swift
    /// let test = EnvironmentScope("test", parent: nil) { $0.mailer = Mailer() }
    /// test.replaceInValues()
    /// ```
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replaceInValues(options: ReplaceOptions = []) -> Int {
        let scope = changeable("Binding the references in the values", isChange: false)
        scope.shareForAsker()
        scope.recordAnswer(.changing)  // fault: bound-values-recorded
        return scope.replace(inAll: scope.storedValues, options.union(.unowned))
    }

    /// Checks that every reference that is a stored property of an instance resolves in this scope.
    ///
    /// It visits the references that `replace(in:options:)` would bind, and builds what they read, but binds nothing. Call it
    /// when the program starts. No other thread may change the instance meanwhile.
    ///
    /// ```swift
    /// try app.validateReferences(in: controller, options: .nested)
    /// ```
    ///
    /// A reference with a scope of its own is checked in that scope. A reference that was made with a function ends
    /// the program if it does not resolve, because a function cannot throw.
    ///
    /// - Throws: The ``ScopeError`` of the reference that does not resolve. If there are several, it is one error
    ///   that has all of them in ``ScopeError/failures``.
    public func validateReferences(in instance: Any, options: ReplaceOptions = []) throws(ScopeError) {
        try validateReferences(inAll: [instance], options)
    }

    /// Checks that every reference that is a stored property of one of the instances resolves in this scope.
    ///
    /// ```swift
    /// try app.validateReferences(in: [users, orders])
    /// ```
    ///
    /// It takes an instance that is itself a sequence for a sequence of instances. Write `as Any` to check that instance.
    ///
    /// - Throws: The ``ScopeError`` of the reference that does not resolve, or one error that has all of them in
    ///   ``ScopeError/failures``.
    public func validateReferences<S: Sequence>(in instances: S, options: ReplaceOptions = []) throws(ScopeError) {
        try validateReferences(inAll: instances.map { $0 as Any }, options)
    }

    private func validateReferences(inAll instances: [Any], _ options: ReplaceOptions) throws(ScopeError) {
        var failures: [ScopeError] = []
        var walk = ReflectionWalk(isNested: options.contains(.nested))
        walk.visit(instances) { reference, _ in
            do throws(ScopeError) {
                let value = try reference.resolved(in: self)
                return options.contains(.recursive) ? [value] : []
            } catch {
                var error = error
                error.fields.location = reference.location
                failures.append(error)
                return []
            }
        }
        try ScopeError.throwAll(failures)
    }

    private func replace(inAll instances: [Any], _ options: ReplaceOptions) -> Int {
        var found: [BoundReferences.Bound] = []
        var shared: [BoundReferences.Bound] = []
        var walk = ReflectionWalk(isNested: options.contains(.nested))
        walk.visit(instances, again: { shared.append(BoundReferences.Bound($0, of: $1)) }) { reference, owner in
            found.append(BoundReferences.Bound(reference, of: owner))
            return options.contains(.recursive) ? [reference.value(in: self)] : []  // fault: recursive
        }
        Ownership.bind(found + shared, to: bindable, isOwning: !options.contains(.unowned))
        return found.count
    }
}
