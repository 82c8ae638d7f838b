package import HTTPTypes

extension HTTPField.Name {
    // Constants that are valid names.
    // swift-format-ignore: NeverForceUnwrap
    /// Names the user on whose behalf a request is made.
    package static let user = Self("X-User")!

    // swift-format-ignore: NeverForceUnwrap
    /// Carries the id of a request: the caller may choose it, and the answer always has it.
    package static let requestID = Self("X-Request-ID")!
}
