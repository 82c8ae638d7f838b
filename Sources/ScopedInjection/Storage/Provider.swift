/// A builder or an alias that a scope was given for a value.
class Provider: @unchecked Sendable {
    // Sendable because only the hint ever changes; the compiler checks that for final classes only.
    let version: UInt64
    let place: SourcePlace
    /// The key that is read instead; nil for a builder.
    let target: ValueKey?
    /// What the last run of the builder read.
    let hint = HintPlace()

    init(version: UInt64, forwardingTo target: ValueKey? = nil, _ place: SourcePlace) {
        self.version = version
        self.target = target
        self.place = place
    }
}

/// A builder that was given to a scope.
final class Builder<Value>: Provider, @unchecked Sendable {
    let make: TypedKey<Value>.Make

    init(version: UInt64, _ place: SourcePlace, _ make: @escaping TypedKey<Value>.Make) {
        self.make = make
        super.init(version: version, place)
    }
}
