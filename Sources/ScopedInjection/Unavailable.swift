// What an earlier version had, each with its new spelling. The file goes with the next version, and their names from
// `Declaration.taken`.

extension EnvironmentScope {
    /// Unavailable: remove values by name, or make another scope.
    @available(*, unavailable, message: "remove each value by name, with removeValue(for:), or make another scope")
    public func removeAll() {}

    /// Unavailable: there is ``discardBuiltValues(_:)``.
    @available(*, unavailable, message: "it takes any number of values: discardBuiltValues(\\.a)")
    public func discardBuiltValue<Value>(for value: ValueName<Value>) async {}

    /// Unavailable: there is ``update(rebuilding:change:)``.
    @available(*, unavailable, message: "read in the closure what is to be built: _ = try $0.value(for: \\.a)")
    public func update<each Value, each Other>(
        building values: repeat ValueName<each Value>,
        rebuilding others: repeat ValueName<each Other>,
        change: (EnvironmentScope) throws -> Void
    ) throws {}

    /// Unavailable: there is ``reload(rebuilding:closingWithin:change:)``.
    @available(*, unavailable, message: "read in the closure what is to be built: _ = try $0.value(for: \\.a)")
    public func reload<each Value, each Other>(
        building values: repeat ValueName<each Value>,
        rebuilding others: repeat ValueName<each Other>,
        closingWithin limit: Duration? = nil,
        change: (EnvironmentScope) async throws -> Void
    ) async throws {}
}

extension ReplaceOptions {
    /// Unavailable: there is ``EnvironmentScope/replaceInValues(options:)``.
    @available(*, unavailable, message: "replaceInValues(options:) does not keep the scope alive")
    public static var unowned: ReplaceOptions { [] }
}
