/// Says which database could not be opened, and why.
struct DatabaseOpeningError: Error, CustomStringConvertible {
    let path: String
    let underlying: any Error

    var description: String { "Cannot open the database at '\(path)': \(underlying)" }
}
