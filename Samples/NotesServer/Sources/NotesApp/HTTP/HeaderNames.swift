package import HTTPTypes

extension HTTPField.Name {
    // Constants that are valid names.
    // swift-format-ignore: NeverForceUnwrap
    /// Carries the id of a request: the caller may choose it, and the answer always has it.
    package static let requestID = Self("X-Request-ID")!

    // swift-format-ignore: NeverForceUnwrap
    /// Says in an answer for which user it was made.
    package static let user = Self("X-User")!

    // swift-format-ignore: NeverForceUnwrap
    /// Says in an answer for which tenant it was made.
    package static let tenant = Self("X-Tenant")!
}
