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
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Code: Sendable, Hashable {
        /// Nothing is set or provided, and there is no default.
        case missingValue
        /// The value needs itself to be built, or awaits itself.
        case cycle
        /// The builder of the value, or the run of a deferred one, threw an error, which is ``ScopeError/underlyingError``.
        case makeFailed
        /// A scope that the read needs is gone: a parent, a reference's own scope, or the keeper of a builder's value.
        case parentReleased
        /// The value has a cleanup, and would have to be kept in a scope that is closed.
        case closed
        /// The value is begun once in the scope of a role, and no scope that was searched has that role.
        case roleMissing
        /// Only a default could provide the value, and a ``DefaultsPolicy`` forbids it.
        case defaultForbidden
        /// A scope was misused, what a builder reads has changed during each of its runs, or several values failed at once:
        /// see ``ScopeError/failures``.
        case invalid
    }

    private var contents: Contents

    /// All that the error has; a change makes a new object.
    var fields: Fields {
        get { contents.fields }
        @inline(never) set { contents = Contents(newValue) }
    }

    @inline(never)
    init(_ code: Code, key: ValueKey? = nil, searched: ChainNames? = nil, detail: String? = nil, advice: String? = nil)
    {
        contents = Contents(
            Fields(code: code, subject: key, searched: searched, detail: detail, advice: advice)
        )
    }

    /// What went wrong.
    public var code: Code { fields.code }

    /// The name of the value that failed; nil if the error concerns no single value.
    ///
    /// It is the name of the property that declares the value.
    public var name: String? { subject?.name }

    /// The name of the value's type; nil if the error concerns no single value.
    package var valueType: String? { subject?.valueName }

    /// The names of the scopes that were searched, from the one that was asked outwards, with that of a parent that is gone.
    package var searchedScopes: [String?] { fields.searched?.all ?? [] }

    /// The values that were being built when the error arose, by name, from the one asked for to the one that failed; a cycle has its
    /// first value at the end again.
    package var path: [String] { fields.path }

    /// The place of the builder that failed: where it was provided, where the decoration that threw was given, or where the value is
    /// declared.
    package var location: Location? { fields.builder?.location ?? subject?.location }

    /// The place of the reference that asked; nil if none did.
    package var reference: Location? { fields.reference }

    /// The error that the builder of the value threw, or the run of a deferred one.
    public var underlyingError: (any Error)? { fields.underlyingError }

    /// The errors of the single values, if `validate` found several.
    public var failures: [ScopeError] { fields.failures }

    package var subject: ValueKey? { fields.subject }

    /// The searched scopes as texts show them.
    package var searched: ChainNames? { fields.searched }

    /// The whole text: the value and its type, the place of its builder, the reference that asked, the searched scopes, and what to do.
    public var description: String { text() }

    /// The text, with other advice than the error's own.
    package func text(advising other: String? = nil) -> String {
        if !failures.isEmpty { return summaryOfFailures }
        var lines = [headline]
        let deed = fields.builder?.deed ?? "Declared"
        if let location { lines.append("  \(deed) at: \(location)") }
        if subject != nil, let place = fields.deferredAt, place.description != location?.description {
            lines.append("  Deferred at: \(place)")
        }
        if let reference { lines.append("  Read by: the reference at \(reference)") }
        if let searched { lines.append("  Searched: \(searched)") }
        if !path.isEmpty, code != .cycle { lines.append("  Needed by: \(placedPath.joined(separator: " → "))") }
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
        var searched: ChainNames?
        var path: [String] = []
        /// The builders of the first values of the path, where they were given to a scope.
        var places: [BuilderPlace?] = []
        /// The builder that failed, if it was given to a scope.
        var builder: BuilderPlace?
        var reference: Location?
        var underlyingError: (any Error)?
        /// Where the deferred value was made whose run has failed.
        var deferredAt: Location?
        var failures: [ScopeError] = []
        let detail: String?
        /// The remedy, if the code alone does not determine it.
        let advice: String?
    }
}

// MARK: - Texts

extension ScopeError {
    private var typedName: String { subject?.typedName ?? "?" }

    /// The value as a member of a scope in code; nil where its declaration has no name, or parameters.
    package var codeMember: String? { subject?.codeMember }

    /// How the value is set.
    private var setting: String { codeMember.map { " (scope\($0) = …)" } ?? "" }

    /// How a builder is provided for the value.
    private var providing: String { subject?.codeName.map { " (scope.provide(\($0)) { … })" } ?? "" }

    /// The path, with the places of builders that were given to scopes.
    private var placedPath: [String] {
        path.enumerated().map { index, name in
            // That of the last one stands above.
            guard index < min(fields.places.count, path.count - 1), let place = fields.places[index] else {
                return name
            }
            return "\(name) (\(place.deed.lowercased()) at \(place.location))"
        }
    }

    private var headline: String {
        switch code {
        case .missingValue:
            "No value for \(typedName): nothing is set or provided, and it has no default."
        case .cycle where subject == nil:
            "A cycle: \(path.first ?? "?") waits for itself: \(path.joined(separator: " → "))."
        case .cycle:
            "A cycle: \(typedName) needs itself to be built: \(path.joined(separator: " → "))."
        case .makeFailed:
            "\(fields.detail ?? "The value for \(typedName) could not be built"): \(underlyingError.map { "\($0)" } ?? "no reason given")"
        case .parentReleased:
            (subject == nil ? "The reference has no value" : "No value for \(typedName)")
                + ": \(fields.detail ?? "a parent scope is gone")."
        case .closed:
            "The value for \(subject?.typedName ?? "an update") cannot be built: \(fields.detail ?? "the scope is closed")."
        case .defaultForbidden:
            "No value for \(typedName): nothing is set or provided, and \(fields.detail ?? "a scope") forbids defaults."
        case .roleMissing:
            "No value for \(typedName): it is \(fields.builder.map { "\($0.deed.lowercased()), but " } ?? "")kept in the nearest scope of the role \(fields.detail ?? "?"), and none has that role."
        case .invalid:
            fields.detail ?? "The request makes no sense."
        }
    }

    private var remedy: String? {
        switch code {
        case .missingValue, .defaultForbidden:
            // Probably no scope was entered.
            (searchedScopes == ["global"]
                ? "enter a scope that has it (scope { … }; scope.bind carries it to a queue or a detached task)"
                : "set it in one of these scopes\(setting), provide a builder\(providing)")
                + (code == .missingValue
                    ? ", or give it a default where it is declared."
                    : ", or declare it with isSafeInTests: true if its default harms no test.")
        case .cycle:
            "set one of these values, or let one of them hold an Injected reference, which is read later."
        case .makeFailed:
            name.map { "see the reason above; set \($0) where its builder cannot work." } ?? "see the reason above."
        case .parentReleased:
            subject == nil
                ? "keep that scope for as long as the reference is read, or set the reference's scope anew."
                : "keep the parent for as long as its children are used: enter the child, or hold the parent."
        case .closed:
            "give work that outlives its scope one of its own (app.withChild { … }), or read the value before the scope is closed."
        case .roleMissing:
            "read it in a scope that was made for it (app.withChild(role: .\(fields.detail ?? "…")) { … }), or set it\(setting)\(fields.builder == nil ? "" : "; a builder does not change where a value is kept")."
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
    ///
    /// - Parameters:
    ///   - scope: The scope that was asked, whose test the text names.
    ///   - place: The place of the reference that has read; nil for the one that reads now.
    func endProgram(in scope: EnvironmentScope? = nil, at place: SourcePlace? = nil) -> Never {
        let error = located()
        let text = ([error.description] + (scope?.watch?.linesOfEnd(error) ?? [])).joined(separator: "\n")
        // The line of the user's comes first, where there is one.
        guard let place = place ?? ThreadState.current.pointee.activity.reference else { fatalError(text) }
        fatalError(text, file: place.fileID, line: place.line)
    }

    /// The error with the reference and the builds that this thread reads for.
    func located() -> ScopeError {
        var (error, builds) = (self, [String]())
        var places: [BuilderPlace?] = []
        Build.forEachOnThisThread {
            builds.insert($0.key.name, at: 0)
            places.insert($0.place, at: 0)
        }
        let rest = !path.isEmpty ? path : builds.last == name ? [] : [name ?? "?"]
        if error.code != .cycle, builds.count + rest.count > 1 {
            (error.fields.path, error.fields.places) = (builds + rest, places + fields.places)
        }
        return ThreadState.current.pointee.activity.reference.map { error.at(Location($0)) } ?? error
    }

    /// The error with the place of the reference that read, unless another one is known.
    func at(_ location: Location) -> ScopeError {
        if reference != nil { return self }
        var error = self
        error.fields.reference = location
        return error
    }

    /// Nil, if nothing is set or provided and there is no default; otherwise throws the error.
    func asNil<Value>(_ node: NodePointer) throws(ScopeError) -> Value? {
        if code != .missingValue || !path.isEmpty { throw self }
        node.withScope { $0.watch?.tellOfRefusal(self, isNil: true) }
        return nil
    }

    /// Throws the only error, or one that has all of them.
    static func throwAll(_ failures: [ScopeError]) throws(ScopeError) {
        guard let first = failures.first else { return }
        if failures.count == 1 { throw first }
        var error = ScopeError(.invalid)
        error.fields.failures = failures
        throw error
    }
}
