import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var built: ScopeValue<String> { .lazy { _ in "built" } }
    fileprivate static var pool: ScopeValue<String> { .lazy(.once(in: .application)) { _ in "pool" } }
    fileprivate static var transient: ScopeValue<String> { .lazy(.transient) { _ in "transient" } }
    fileprivate static var provided: ScopeValue<String> { .required() }
}

/// A value, and where it comes from if no scope is missing.
private enum Lookup: CaseIterable {
    case constant, optional, built, staying, transient, setOutside, providedOutside

    static func prepare(_ outer: EnvironmentScope) {
        outer.token = Token(text: "set")
        outer.provide(\.provided) { _ in "provided" }
    }

    func read(in scope: EnvironmentScope) throws -> Any {
        switch self {
        case .constant: try scope.value(for: \.host)
        case .optional: try scope.value(for: \.user) as Any
        case .built: try scope.value(for: \.built)
        case .staying: try scope.value(for: \.pool)
        case .transient: try scope.value(for: \.transient)
        case .setOutside: try scope.value(for: \.token)
        case .providedOutside: try scope.value(for: \.provided)
        }
    }
}

@Suite("R8: reads past a scope that is gone", .programRoots)
struct GapTests {
    @Test("They fail, naming both scopes, and never give a default", arguments: Lookup.allCases, [true, false])
    fileprivate func gap(_ lookup: Lookup, isReadBefore: Bool) throws {
        let outer = EnvironmentScope("outer", role: .application, parent: nil) { Lookup.prepare($0) }
        var middle: EnvironmentScope? = EnvironmentScope.empty("middle", parent: outer)
        let inner = EnvironmentScope.empty("inner", parent: middle)
        if isReadBefore { _ = try lookup.read(in: inner) }
        middle = nil
        let error = #expect(throws: ScopeError.self) { try lookup.read(in: inner) }
        #expect(error?.code == .parentReleased)
        let text = error?.description ?? ""
        #expect(text.contains("\"inner\""))
        #expect(text.contains("\"middle\""))
        #expect(throws: Never.self) { try lookup.read(in: outer) }
    }

    @Test("Reads past a scope that is gone fail in every scope below the gap, naming the scopes on both sides of it")
    func deeper() {
        var outer: EnvironmentScope? = EnvironmentScope("outer", parent: nil) { $0.port = 1 }
        let middle = EnvironmentScope.empty("middle", parent: outer)
        let inner = EnvironmentScope.empty("inner", parent: middle)
        outer = nil
        for scope in [middle, inner] {
            let error = #expect(throws: ScopeError.self) { try scope.value(for: \.port) }
            #expect(error?.code == .parentReleased && error?.description.contains("\"outer\"") == true)
            #expect(error?.description.contains("\"middle\"") == true)
        }
    }

    @Test("Values that are set or provided below the gap can still be read") func belowTheGap() throws {
        var outer: EnvironmentScope? = EnvironmentScope("outer", parent: nil) { $0.port = 1 }
        let middle = EnvironmentScope("middle", parent: outer) { $0.host = "middle" }
        middle.provide(\.token) { Token(text: "token of \(try $0.host)") }
        let inner = EnvironmentScope("inner", parent: middle) { $0.user = User(name: "inner") }
        outer = nil
        #expect(try inner.value(for: \.user) == User(name: "inner"))
        #expect(try inner.value(for: \.host) == "middle")
        #expect(try inner.value(for: \.token) == Token(text: "token of middle"))
        inner.port = 3
        #expect(try inner.value(for: \.port) == 3)
    }
}
