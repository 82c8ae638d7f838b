/// What a scope was given for a value that it does not hold: a builder, or decorations.
class Provider: @unchecked Sendable {
    // Sendable because only the hint ever changes; the compiler checks that for final classes only.
    let version: UInt64
    let origin: Origin
    /// The places of the decorations, the innermost first.
    let decorations: [SourcePlace]
    /// What the last run of the builder read.
    let hint = HintHolder()

    /// What is read, or decorated.
    enum Origin {
        /// A builder that the scope was given.
        case given(SourcePlace)
        /// A value that the scope had set before it was decorated.
        case set
        /// What lies further out.
        case beyond
    }

    init(version: UInt64, _ origin: Origin, _ decorations: [SourcePlace]) {
        self.version = version
        self.origin = origin
        self.decorations = decorations
    }

    /// The place of one of the decorations, or of what lies below them.
    func place(ofDecoration index: Int) -> BuilderPlace? {
        if decorations.indices.contains(index) { return BuilderPlace(.decorated, decorations[index]) }
        switch origin {
        case .given(let place): return BuilderPlace(.provided, place)
        case .set, .beyond: return decorations.first.map { BuilderPlace(.decorated, $0) }
        }
    }

    /// The place of what was given last, or of the builder that is decorated.
    var lastPlace: BuilderPlace? { place(ofDecoration: decorations.count - 1) }

    /// The place of the builder; nil where one of several that were given may be concerned.
    var onlyPlace: BuilderPlace? { decorations.isEmpty ? lastPlace : nil }

    /// Makes the value in memory that is not initialized.
    func make(_ key: ValueKey, _ reader: ScopeReader, into memory: UnsafeMutableRawPointer) throws {
        fatalError("only a builder makes a value")
    }
}
