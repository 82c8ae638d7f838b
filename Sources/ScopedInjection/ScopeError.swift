/// The reason why a value does not resolve, and what to do about it.
///
/// `value(for:)` and `validate` throw it. Reads that cannot throw (properties, subscripts, ``Injected``) end the
/// program with its text. <doc:Errors> lists every text and what to do about it.
///
/// ```swift
/// do {
///     let token = try scope.value(for: \.token)
///     connect(with: token)
/// } catch {
///     logger.error("\(error)")
/// }
/// ```
public struct ScopeError: Error, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable, Hashable {
        /// Nothing is set or provided, and there is no default.
        case missingValue
        /// The value needs itself to be built, or awaits itself, or aliases form a circle.
        case cycle
        /// The builder of the value threw an error, which is ``ScopeError/underlyingError``.
        case makeFailed
        /// A scope that the read needs is gone: a parent, a reference's own scope, or the keeper of a builder's value.
        case parentReleased
        /// The value would have to be kept in a scope that is closed.
        case closed
        /// Only a default could provide the value, and a ``DefaultsPolicy`` forbids it.
        case defaultForbidden
        /// A scope was misused, what a builder reads has changed during each of its runs, or several values failed at once:
        /// see ``ScopeError/failures``.
        case invalid
    }

    /// The place of a reference or a builder in the source.
    public struct Location: Sendable, CustomStringConvertible {
        /// The file, in the form of `#fileID`.
        public let fileID: String
        /// The line in the file.
        public let line: UInt

        /// The file and the line, separated by a colon.
        public var description: String { "\(fileID):\(line)" }
    }

    private var contents: Contents

    /// All that the error has; a change makes a new object.
    var fields: Fields {
        get { contents.fields }
        set { contents = Contents(newValue) }
    }

    init(_ code: Code, key: ValueKey? = nil, searched: [String] = [], detail: String? = nil, advice: String? = nil) {
        contents = Contents(
            Fields(code: code, subject: key, searchedScopes: searched, detail: detail, advice: advice)
        )
    }

    /// What went wrong.
    public var code: Code { fields.code }

    /// The name of the value that failed; nil if the error concerns no single value.
    ///
    /// It is the `name:` that the value was declared with, the name of its key type, or else its type and its place.
    public var key: String? { subject?.name }

    /// The name of the value's type; nil if the error concerns no single value.
    public var valueType: String? { subject?.valueName }

    /// The names of the scopes that were searched, from the one that was asked outwards, as texts show them: in quotes, and
    /// with a remark if a scope is gone.
    ///
    /// It is empty in an error that a builder gets through its own scope, because the builder may put it into a value that
    /// others are given.
    public var searchedScopes: [String] { fields.searchedScopes }

    /// The values that were being built when the error arose, by name, from the one asked for to the one that failed.
    ///
    /// For a cycle, it is the cycle itself, with its first value repeated at the end.
    public var path: [String] { fields.path }

    /// The place of the reference that asked; nil if none did.
    public var location: Location? { fields.location }

    /// The error that the builder of the value threw.
    public var underlyingError: (any Error)? { fields.underlyingError }

    /// The errors of the single values, if `validate` found several.
    public var failures: [ScopeError] { fields.failures }

    package var subject: ValueKey? { fields.subject }

    /// The value whose default is forbidden: the one that was read, or the one that its aliases lead to.
    package var forbidden: ValueKey? { fields.forbidden }

    /// The whole text: the value and its type, the reference that asked, the searched scopes, and what to do.
    public var description: String { text() }

    /// The text, with other advice than the error's own.
    package func text(advising other: String? = nil) -> String {
        if !failures.isEmpty { return summaryOfFailures }
        var lines = [headline]
        if case .value(_?, let fileID, let line)? = declared?.declaration {
            lines.append("  Declared at: \(fileID):\(line)")
        }
        if let location { lines.append("  Read by: the reference at \(location)") }
        if !searchedScopes.isEmpty { lines.append("  Searched: \(searchedScopes.joined(separator: " → "))") }
        if !path.isEmpty, code != .cycle { lines.append("  Needed by: \(path.joined(separator: " → "))") }
        if let remedy = other ?? fields.advice ?? remedy { lines.append("  To fix it: \(remedy)") }
        return lines.joined(separator: "\n")
    }
}

// MARK: - Contents

extension ScopeError {
    /// The one object of an error: so an error is a pointer, and no function on the way of a read has to keep room for
    /// its parts.
    fileprivate final class Contents: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    /// What an error has.
    struct Fields: Sendable {
        let code: Code
        var subject: ValueKey?
        /// What the subject is an alias of.
        var aliased: ValueKey?
        var forbidden: ValueKey?
        var searchedScopes: [String]
        /// Whether those scopes are not the asking one and its ancestors, or no build asks: a builder may keep their names.
        var isSearchRecorded = false
        var path: [String] = []
        var location: Location?
        var underlyingError: (any Error)?
        var failures: [ScopeError] = []
        let detail: String?
        /// The remedy, if the code alone does not determine it.
        let advice: String?
    }
}

// MARK: - Texts

extension ScopeError {
    private var name: String { key ?? "?" }
    private var typedName: String {
        let name = subject?.typedName ?? "?"
        return fields.aliased.map { "\(name), an alias of \($0.typedName)" } ?? name
    }

    /// The value whose declaration decides: the one that an alias leads to.
    private var declared: ValueKey? { fields.aliased ?? subject }

    private var isKeyType: Bool { if case .type? = declared?.declaration { true } else { false } }

    /// The value as code names it; nil where only its declaration is known.
    package var codeName: String? { Self.codeName(of: subject) }

    /// The value whose default is forbidden, in the same way.
    package var codeNameOfForbidden: String? { Self.codeName(of: forbidden) }

    private static func codeName(of key: ValueKey?) -> String? {
        guard let key else { return nil }
        return switch key.declaration {
        case .type: "\(key.name).self"
        case .value(let name?, _, _): "\\.\(name)"
        default: nil
        }
    }

    /// The value as a member of a scope in code; nil where only its declaration is known.
    package var codeMember: String? {
        switch subject?.declaration {
        case .type?: "[\(name).self]"
        case .value(let name?, _, _)?: ".\(name)"
        default: nil
        }
    }

    /// How the value is set; nothing where only its declaration is known.
    private var setting: String { codeMember.map { " (scope\($0) = …)" } ?? "" }

    /// How a builder is provided for the value; nothing where only its declaration is known.
    private var providing: String { codeName.map { " (scope.provide(\($0)) { … })" } ?? "" }

    private var headline: String {
        switch code {
        case .missingValue:
            "No value for \(typedName): nothing is set or provided, and \(isKeyType ? "the key" : "it") has no default."
        case .cycle where subject == nil:
            "A cycle: \(path.first ?? "?") waits for itself: \(path.joined(separator: " → "))."
        case .cycle:
            fields.detail == nil
                ? "A cycle: \(typedName) needs itself to be built: \(path.joined(separator: " → "))."
                : "The aliases of \(typedName) go round in a circle: \(path.joined(separator: " → "))."
        case .makeFailed:
            "The value for \(typedName) could not be built: \(underlyingError.map { "\($0)" } ?? "no reason given")"
        case .parentReleased:
            (subject == nil ? "The reference has no value" : "No value for \(typedName)")
                + ": \(fields.detail ?? "a parent scope is gone")."
        case .closed:
            "The value for \(typedName) cannot be built: \(fields.detail ?? "the scope is closed")."
        case .defaultForbidden:
            "No value for \(typedName): nothing is set or provided, and \(fields.detail ?? "a scope") forbids defaults."
        case .invalid:
            fields.detail ?? "The request makes no sense."
        }
    }

    private var remedy: String? {
        switch code {
        case .missingValue, .defaultForbidden:
            "set it in one of these scopes\(setting), provide a builder\(providing)"
                + (code == .missingValue
                    ? ", or give \(isKeyType ? "the key a defaultValue" : "it a default where it is declared")."
                    : ", or declare it with isSafeInTests: true if its default harms no test.")
        case .cycle where subject == nil:
            "await none of these values in what makes them; a task that starts there and needs one has to be detached."
        case .cycle:
            fields.detail == nil
                ? "set one of these values, or let one of them hold an Injected reference, which is read later."
                : "call removeAll() on a scope that declares one of the aliases, or give it another parent."
        case .makeFailed:
            "see the reason above; set \(name) where its builder cannot work."
        case .parentReleased:
            subject == nil
                ? "keep that scope for as long as the reference is read, or set the reference's scope anew."
                : "keep the parent for as long as its children are used: enter the child, or hold the parent."
        case .closed:
            "read the value before the scope is closed, or ask a scope that is open."
        case .invalid:
            nil
        }
    }

    private var summaryOfFailures: String {
        let list = failures.enumerated().map { index, failure in
            "\(index + 1). " + failure.description.split(separator: "\n").joined(separator: "\n   ")
        }
        return "\(failures.count) values cannot be had:\n" + list.joined(separator: "\n")
    }
}

// MARK: - Ending the program

extension ScopeError {
    /// Ends the program with the text, which names the reference and the builds that this thread reads for.
    func endProgram() -> Never { fatalError(located().description) }

    /// The error with the reference and the builds that this thread reads for, for a read that cannot throw.
    func located() -> ScopeError {
        var error = self
        let innermost = ThreadState.current.pointee.innermostBuild
        let builds = innermost?.ancestry.prefix { !$0.isOfObservers }.map(\.key.name) ?? []  // fault: observers-unnamed
        switch error.code {
        case .cycle: break
        // The misuse is the builder's own. If there is one build only, the text may already name it.
        case .invalid: if builds != [error.key] { error.fields.path = builds.reversed() }
        default:
            if !builds.isEmpty { error.fields.path = builds.reversed() + (error.path.isEmpty ? [name] : error.path) }
        }
        if error.location == nil { error.fields.location = ReadingReference.current }  // fault: reference-named
        return error
    }
}

extension Provider {
    /// Where the builder was provided.
    var location: ScopeError.Location { ScopeError.Location(fileID: fileID.description, line: line) }
}
