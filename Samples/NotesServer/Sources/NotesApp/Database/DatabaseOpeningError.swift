/// Says which database could not be opened, and why.
package struct DatabaseOpeningError: Error, CustomStringConvertible {
    let path: String
    let underlying: any Error

    package var description: String { "The database '\(path)' cannot be opened: \(underlying)." }
}
