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
    /// The references keep this scope and its whole chain alive, but for those that lie in a value it owns.
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
    /// ```swift
    /// let test = EnvironmentScope("test", parent: nil) { $0.mailer = Mailer() }
    /// test.replaceInValues()
    /// ```
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replaceInValues(options: ReplaceOptions = []) -> Int {
        replace(inAll: standIn?.storedValues ?? [], options)
    }

    private func replace(inAll instances: [Any], _ options: ReplaceOptions) -> Int {
        var references: [any ScopedReference] = []
        var walk = ReflectionWalk(isNested: options.contains(.nested))
        walk.visit(
            instances,
            reference: { reference in
                references.append(reference)
                return options.contains(.recursive) ? [reference.value(in: self)] : []
            },
            scope: { _ in [] }
        )
        guard !references.isEmpty else { return 0 }
        let scope = bindable
        // Bound first and looked through afterwards, so that a value stored meanwhile is not missed.
        for reference in references { reference.bind(to: scope, isOwning: true) }
        let owned = Ownership.owned(by: scope)
        for reference in references where owned.contains(reference) { reference.bind(to: scope, isOwning: false) }
        return references.count
    }
}
