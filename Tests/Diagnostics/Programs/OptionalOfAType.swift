import ScopedInjection

extension ScopeValues {
    // error: contextual member reference to static method 'optional(id:name:fileID:line:column:)' requires 'Self' constraint in the protocol extension
    static var limit: ScopeValue<Int> { .optional() }
}
