/// Where and under which name a value was declared.
@usableFromInline
struct Declaration: Sendable {
    /// The name of the property or function that declares it, as `#function` gives it, or another one.
    private let function: StaticString
    let fileID: StaticString
    let line: UInt
    let column: UInt
    /// Tells the values of a family from each other.
    let id: Identifier?

    /// - Parameter id: The identifier; `Never?.none` for none.
    @usableFromInline
    init<ID: Hashable & Sendable>(
        _ function: StaticString,
        _ fileID: StaticString,
        _ line: UInt,
        _ column: UInt,
        id: ID = Never?.none
    ) {
        self.function = function
        self.fileID = fileID
        self.line = line
        self.column = column
        self.id = ID.self == Never?.self ? nil : Identifier.make(id)
    }

    /// The name of the property, with the identifier of a family; what identifies a type says nothing to people.
    var name: String {
        guard let id = id?.value, !(id is ObjectIdentifier) else { return property }
        return "\(property)(\(id))"
    }

    /// The name as code can use it; nil for a function, which may have any arguments.
    var nameInCode: String? { function.description.utf8.contains(UInt8(ascii: "(")) ? nil : property }

    private var property: String { String(Substring(function.description.utf8.prefix { $0 != UInt8(ascii: "(") })) }
}

// MARK: One place, one value

extension Declaration {
    /// What a value cannot be called, because scopes and readers have members of that name, which hide it.
    private static let taken = [
        "alias", "bind", "callAsFunction", "close", "debugDescription", "decorate", "deferred",
        "description", "discardBuiltValues", "explain", "graph", "isClosed", "isClosing",
        "localValue", "modify", "name", "observe", "onClose", "parent", "prepare", "provide", "reload", "removeAll",
        "removeValue", "replace", "replaceInValues", "role", "update", "validate", "validateChild",
        "validateReferences", "value", "valueIfAny", "with", "withChild",
    ]

    /// Ends the program where the declaration could be one value with another one, or one name with something else.
    func check(as valueType: Any.Type) {
        if valueType == ScopeRole.self { return checkRole() }
        var place: String { "\(fileID):\(line)" }
        var type: String { TypeName.written(valueType) }
        if id == nil, function.description.utf8.contains(UInt8(ascii: ":")) {
            fatalError(
                """
                \(function), which declares a value at \(place), takes parameters, and would be one value for all of them.
                  To fix it: give an id made of them (id: name); a helper for declarations takes name: StaticString = #function, \
                fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column, and passes them on.
                """
            )
        }
        if let id, !id.isEqual(to: id) {
            fatalError(
                """
                The id of \(function), which declares a value at \(place), is not equal to itself: \(id.value).
                  To fix it: give an id that is the same each time, not a number that may be NaN.
                """
            )
        }
        // In the initial value of a stored property it is the name of the type around that.
        let property = property
        // The first test is cheap, and true for few.
        if !(UInt8(ascii: "_")...UInt8(ascii: "z") ~= property.utf8.first ?? 0), property.first?.isUppercase == true {
            fatalError(
                """
                The value of type \(type) declared at \(place) is in a stored property, or named like a type (\(function)).
                  To fix it: declare it in a computed property, whose name begins with a small letter: \
                static var port: ScopeValue<Int> { .value(8080) }.
                """
            )
        }
        if nameInCode != nil, Self.taken.contains(property) {
            fatalError(
                """
                The value \(property) (\(type)) declared at \(place) has the name of a member of EnvironmentScope or ScopeReader, \
                which hides it.
                  To fix it: give the property another name.
                """
            )
        }
    }

    private func checkRole() {
        if nameInCode != nil, property.first?.isUppercase == false { return }
        fatalError(
            """
            The role \(function) declared at \(fileID):\(line) is in a stored property, or takes parameters, and would be one \
            role for all of them.
              To fix it: declare each in a computed property: static var tenant: ScopeRole { ScopeRole() }.
            """
        )
    }
}
