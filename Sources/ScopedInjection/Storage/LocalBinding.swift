/// A builder that was given to a scope with `provide`.
class AnyProvider: @unchecked Sendable {
    // Sendable because it never changes; the compiler checks that for final classes only.
    let version: UInt64
    /// Where it was given.
    let fileID: StaticString
    let line: UInt

    fileprivate init(version: UInt64, fileID: StaticString, line: UInt) {
        self.version = version
        self.fileID = fileID
        self.line = line
    }
}

final class Provider<Value>: AnyProvider, @unchecked Sendable {
    let make: @Sendable (EnvironmentScope) throws -> Value

    init(
        version: UInt64,
        fileID: StaticString,
        line: UInt,
        make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        self.make = make
        super.init(version: version, fileID: fileID, line: line)
    }
}

/// What a scope itself has for a key, beside a set value: a builder, an alias, a value it built and kept.
///
/// Changed only by the scope's writers, and read under its reader locks.
final class LocalBinding: @unchecked Sendable {
    // Sendable because of that rule.
    @exclusivity(unchecked) var provider: AnyProvider?
    @exclusivity(unchecked) var alias: Alias?
    @exclusivity(unchecked) var kept: AnyCell?

    var isEmpty: Bool { provider == nil && alias == nil && kept == nil }
}

/// Says that reading or setting one key is reading or setting another.
struct Alias {
    let key: AnyKey
    let target: AnyKey
}
