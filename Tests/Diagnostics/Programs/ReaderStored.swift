import ScopedInjection

struct Service: Sendable {
    // error: stored property 'reader' of 'Sendable'-conforming struct 'Service' has non-Sendable type 'ScopeReader'
    let reader: ScopeReader
}
