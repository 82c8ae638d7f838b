/// A place in the source, for texts.
struct SourcePlace: Sendable {
    let fileID: StaticString
    let line: UInt
}
