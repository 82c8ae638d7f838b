import Crypto

/// What the server knows of a bearer token: its SHA-256, from which the token cannot be had.
///
/// That is enough for tokens that a machine made up, as long as they are too long to be tried out; passwords of people
/// want a slow hash instead.
package struct TokenDigest: Sendable {
    private let bytes: [UInt8]

    /// The digest of a token.
    package init(of token: String) { bytes = Array(SHA256.hash(data: Array(token.utf8))) }

    /// A digest from a file of accounts; nil for what is not 64 hexadecimal digits.
    init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 2 * SHA256Digest.byteCount, digits.count == text.count else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The digest as a file of accounts has it.
    package var hexadecimal: String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Whether the token presented is the one; the digests are compared in the same time wherever they differ.
    func matches(_ presented: SHA256Digest) -> Bool { presented == bytes }
}
