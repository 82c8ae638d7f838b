import ScopedInjection

enum Role: Sendable { case admin }

extension ScopeValues {
    static var name: ScopeValue<String> { .value("none") }
    static var role: ScopeValue<Role?> { .optional() }
    static var parent: ScopeValue<Int> { .required() }
    static var isClosed: ScopeValue<Bool> { .value(false) }
    static var graph: ScopeValue<[Int]> { .value([]) }
    static var description: ScopeValue<String?> { .optional() }
}

func use() {
    _ = EnvironmentScope("app", parent: nil) {
        // error: 'name' is unavailable: a scope has a name of its own; give the value another name
        $0.name = "Ada"
        // error: 'role' is unavailable: a scope has a role of its own; give the value another name
        $0.role = Role.admin
        // error: 'parent' is unavailable: a scope keeps the parent with which it is made; give the value another name
        $0.parent = 7
        // error: 'isClosed' is unavailable: a scope says itself whether it is closed; give the value another name
        $0.isClosed = true
        // error: 'graph' is unavailable: a scope has a graph of its own; give the value another name
        $0.graph = [1, 2]
        // error: 'description' is unavailable: a scope has a description of its own; give the value another name
        $0.description = nil
    }
}
