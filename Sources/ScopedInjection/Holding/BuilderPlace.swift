/// Where a scope was given a builder or a decoration, for texts.
struct BuilderPlace: Sendable {
    let source: ScopeExplanation.Source
    let location: ScopeError.Location

    init(_ source: ScopeExplanation.Source, _ place: SourcePlace) {
        (self.source, location) = (source, ScopeError.Location(place))
    }

    /// What was done there.
    var deed: String { source == .decorated ? "Decorated" : "Provided" }
}
