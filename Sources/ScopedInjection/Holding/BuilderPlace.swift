/// Where a scope was given a builder or a decoration, for texts.
struct BuilderPlace: Sendable {
    /// What was done there.
    enum Source: String { case provided = "Provided", decorated = "Decorated" }

    private let source: Source
    let location: ScopeError.Location

    init(_ source: Source, _ place: SourcePlace) { (self.source, location) = (source, ScopeError.Location(place)) }

    var deed: String { source.rawValue }
    /// Half a sentence, in which *there* is the scope.
    var text: String { "is \(deed.lowercased()) there (\(location))" }
}
