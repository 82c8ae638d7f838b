/// Where and under which name a value was declared.
@usableFromInline
struct Declaration: @unchecked Sendable {
    // Sendable because the identifier was made from a value that is.

    /// The name of the property or function that declares it, as `#function` gives it, or another one.
    private let function: StaticString
    let fileID: StaticString
    let line: UInt
    let column: UInt
    /// Tells the values of a family from each other.
    let id: AnyHashable?

    @usableFromInline
    init(
        _ function: StaticString,
        _ fileID: StaticString,
        _ line: UInt,
        _ column: UInt,
        id: (any Hashable & Sendable)? = nil
    ) {
        self.function = function
        self.fileID = fileID
        self.line = line
        self.column = column
        self.id = id.map { AnyHashable($0) }
    }

    /// The name of the property, with the identifier of a family; nil where the compiler knows no name of a property.
    var name: String? {
        guard let property else { return nil }
        return id.map { "\(property)(\($0.base))" } ?? property
    }

    /// The name as code can use it; nil for a function, which may have any arguments.
    var nameInCode: String? { function.description.contains("(") ? nil : property }

    private var property: String? {
        let name = function.description.prefix { $0 != "(" }
        // In the initial value of a stored property it is the name of the type around that.
        return name.first?.isUppercase == false ? String(name) : nil
    }
}
