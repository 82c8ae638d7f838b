extension EnvironmentScope {
    /// The policy in force here.
    package var defaults: DefaultsPolicy { node.whileReading { DefaultsPolicy.decision(from: node).policy } }

    package func setDefaults(_ policy: DefaultsPolicy) { Changing.set(policy, for: DefaultsPolicy.key.key, in: node) }

    /// Provides the value's own default here, so that no policy further out concerns it.
    package func allowDefault(of value: ValueKey) { provideDefault(of: value, value.valueType) }

    private func provideDefault<Value>(of value: ValueKey, _: Value.Type) {
        let (key, place) = (value.typed(as: Value.self), value.declaration)
        Changing.provide(key, in: node, .given(SourcePlace(fileID: place.fileID, line: place.line))) {
            try key.make($0, isInTests: false)
        }
        tellOfSet(value)
    }
}
