extension ScopeError {
    /// The place of a reference or a builder in the source: `Shop/Values.swift:5`.
    public struct Location: Sendable, CustomStringConvertible {
        /// The file as a literal, for functions that take no other.
        package let file: StaticString
        /// The line in the file.
        public let line: UInt
        /// The file, in the form of `#fileID`.
        public var fileID: String { file.description }

        init(_ place: SourcePlace) { (file, line) = (place.fileID, place.line) }

        /// The file and the line, separated by a colon.
        public var description: String { "\(fileID):\(line)" }
    }
}
