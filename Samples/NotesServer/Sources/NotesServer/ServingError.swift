/// Says where the server could not listen, and why.
struct ServingError: Error, CustomStringConvertible {
    let hostname: String
    let port: Int
    let underlying: any Error

    var description: String { "Cannot serve on \(hostname):\(port): \(underlying)" }
}
