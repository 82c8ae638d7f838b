extension ScopeError {
    /// The place of a reference or a builder in the source.
    public struct Location: Sendable, Hashable, CustomStringConvertible {
        /// The file as a literal, for functions that take no other.
        package let file: StaticString
        /// The line in the file.
        public let line: UInt
        /// The file, in the form of `#fileID`.
        public var fileID: String { file.description }

        init(_ place: SourcePlace) { (file, line) = (place.fileID, place.line) }

        /// Whether both are one line of one file.
        public static func == (one: Self, other: Self) -> Bool { one.line == other.line && one.fileID == other.fileID }

        /// Hashes the file and the line.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(fileID)
            hasher.combine(line)
        }

        /// The file and the line, separated by a colon.
        public var description: String { "\(fileID):\(line)" }
    }
}
