/// How far `replace(in:options:)` goes.
public struct ReplaceOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Goes on into the values that the references resolve to.
    ///
    /// Not for ``ValueLifetime/transient`` values that refer to their own kind: each read makes another one.
    public static let recursive = ReplaceOptions(rawValue: 1)

    /// Goes on into stored properties: structs, classes, tuples, enum payloads, optionals, collections.
    public static let nested = ReplaceOptions(rawValue: 2)

    /// Lets no reference keep the scope alive.
    ///
    /// For instances that the scope itself owns at some remove: it would keep itself alive for good.
    public static let unowned = ReplaceOptions(rawValue: 4)
}

extension EnvironmentScope {
    /// Makes every reference that is a stored property of an instance read from this scope.
    ///
    /// Use it to give objects that exist already another scope, in a test or when a request takes one over. Properties
    /// of superclasses are included. Instances are gone through by reflection, so they must not be changed by
    /// another thread meanwhile, and a type with a mirror of its own shows only what that mirror does.
    ///
    /// ```swift
    /// let service = Service()
    /// test.replace(in: service)
    /// ```
    ///
    /// The references keep this scope and its whole chain alive, unless the instance is itself a value of the scope or its
    /// chain, now or later. What lies deeper inside such a value is bound with ``ReplaceOptions/unowned``.
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
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replace(in first: Any, _ second: Any, _ rest: Any..., options: ReplaceOptions = []) -> Int {
        replace(inAll: [first, second] + rest, options)
    }

    /// Makes every reference that is a stored property of a value set or kept in this scope read from this scope.
    ///
    /// The references do not keep the scope alive.
    ///
    /// ```swift
    /// let test = EnvironmentScope("test", parent: nil) { $0.mailer = Mailer() }
    /// test.replaceInValues()
    /// ```
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replaceInValues(options: ReplaceOptions = []) -> Int {
        replace(inAll: target?.storedValues ?? [], options.union(.unowned))
    }

    /// Checks that every reference that is a stored property of an instance resolves in this scope.
    ///
    /// It follows what `replace(in:options:)` would bind, and binds nothing. Call it when the program starts.
    ///
    /// ```swift
    /// try app.validateReferences(in: controller, options: .nested)
    /// ```
    ///
    /// A reference that has a scope of its own is checked in that. One that is a function, not a value, ends the program
    /// where it cannot be resolved, because it cannot throw.
    ///
    /// - Throws: The ``ScopeError`` of the reference that does not resolve; where several do not, one error with all of
    ///   them in ``ScopeError/failures``.
    public func validateReferences(in instance: Any, options: ReplaceOptions = []) throws(ScopeError) {
        var failures: [ScopeError] = []
        var walk = ReflectionWalk(isNested: options.contains(.nested))
        walk.visit([instance]) { reference, _ in
            do throws(ScopeError) {
                let value = try reference.resolved(in: self)
                return options.contains(.recursive) ? [value] : []
            } catch {
                var error = error
                error.location = reference.location
                failures.append(error)
                return []
            }
        }
        try ScopeError.throwAll(failures)
    }

    private func replace(inAll instances: [Any], _ options: ReplaceOptions) -> Int {
        var found: [Ownership.Found] = []
        var walk = ReflectionWalk(isNested: options.contains(.nested))
        walk.visit(instances) { reference, owner in
            found.append(Ownership.Found(reference: reference, owner: owner))
            return options.contains(.recursive) ? [reference.value(in: self)] : []  // fault: recursive
        }
        if !found.isEmpty { Ownership.bind(found, to: bindable, isOwning: !options.contains(.unowned)) }
        return found.count
    }
}
