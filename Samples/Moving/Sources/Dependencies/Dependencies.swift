// What code written for swift-dependencies needs, on the scopes of ScopedInjection. Copy this folder into a target of yours
// that is called Dependencies, and `import Dependencies` stays as it is.

public import ScopedInjection

/// Where a dependency's live value is.
public protocol DependencyKey<Value>: TestDependencyKey {
    /// The type of the dependency, inferred from the live value.
    associatedtype Value = Self

    /// What a program uses.
    static var liveValue: Value { get }
}

/// Where a dependency's test value is.
public protocol TestDependencyKey<Value>: SendableMetatype {
    /// The type of the dependency; often the conforming type itself.
    associatedtype Value: Sendable = Self

    /// What a test uses.
    static var testValue: Value { get }

    /// What a preview uses; a preview is a scope of its own here, which sets it.
    static var previewValue: Value { get }
}

extension TestDependencyKey {
    /// The test value.
    public static var previewValue: Value { testValue }
}

extension DependencyKey {
    /// The live value.
    public static var previewValue: Value { liveValue }

    /// The live value, which fails a test that reads it without having set it.
    public static var testValue: Value {
        if Overrides.isSetting { return liveValue }
        return Dependencies.unimplemented("\(Self.self).testValue", placeholder: liveValue)
    }
}

extension ScopeValues {
    /// The value of a key: one of a family.
    public static func dependency<Key: TestDependencyKey>(_ key: Key.Type) -> ScopeValue<Key.Value> {
        .lazy(makeInTests: { _ in live(of: key) { $0.testValue } }, id: ObjectIdentifier(key)) { _ in
            // As there: made once for the program, so it reads nothing of who asks first.
            EnvironmentScope.global {
                live(of: key) { key in
                    guard let key = key as? any DependencyKey.Type, let value = liveValue(of: key) as? Key.Value else {
                        return Dependencies.unimplemented("\(key).liveValue", placeholder: key.testValue)
                    }
                    return value
                }
            }
        }
    }

    /// Runs a builder, whose `@Dependency` must not remember who asked, because what it makes is for everybody.
    private static func live<Key: TestDependencyKey>(of key: Key.Type, _ make: (Key.Type) -> Key.Value) -> Key.Value {
        Overrides.$scope.withValue(nil) { make(key) }
    }

    private static func liveValue<Key: DependencyKey>(of key: Key.Type) -> Any { key.liveValue }

    fileprivate static var overridden: ScopeValue<[AnyValue: Copy]> { .value([:], isSafeInTests: true) }
}

/// Copies an override from one scope to another.
private typealias Copy = @Sendable (_ source: EnvironmentScope, _ target: EnvironmentScope) -> Void

/// A value of any type, to tell it from others; Sendable, because a ScopeValue is.
private struct AnyValue: Hashable, @unchecked Sendable { let value: AnyHashable }

/// The overrides in force.
package enum Overrides {
    /// The scope that `withDependencies`, or the trait of a test, made last.
    @TaskLocal package static var scope: EnvironmentScope?
    /// Whether a closure that overrides is running.
    @TaskLocal package static var isSetting = false
}

/// The values as a scope has them; what `withDependencies` changes.
public struct DependencyValues {
    private enum Source {
        /// A reference reads, and remembers the scope in which it was made.
        case reference(ScopeView, madeIn: EnvironmentScope?)
        case scope(EnvironmentScope, isOverride: Bool)
    }

    private let source: Source

    fileprivate init(_ view: ScopeView, madeIn scope: EnvironmentScope?) { source = .reference(view, madeIn: scope) }

    /// The values of nobody: those of a scope of its own.
    public init() { self.init(.empty("DependencyValues", parent: nil)) }

    // swift-format-ignore: NoLeadingUnderscores
    /// The values as the code that runs sees them.
    public static var _current: DependencyValues { DependencyValues(.current, isOverride: false) }

    /// The values of a scope.
    package init(_ scope: EnvironmentScope, isOverride: Bool = true) { source = .scope(scope, isOverride: isOverride) }

    /// The value of a key.
    public subscript<Key: TestDependencyKey>(_ key: Key.Type) -> Key.Value {
        get { self[{ $0.dependency(key) }] }
        set { self[{ $0.dependency(key) }] = newValue }
    }

    /// A value that is declared in `ScopeValues`: `self[\.git]`.
    ///
    /// So a value that has moved is the same for old code and new.
    public subscript<Value>(_ name: ValueName<Value>) -> Value {
        get {
            let value = name(ScopeValues.self)
            switch source {
            case .scope(let scope, _): return scope[value]
            case .reference(_, madeIn: let scope?) where Overrides.scope == nil:
                return scope[value]
            case .reference(let view, madeIn: let scope?) where scope !== Overrides.scope:
                // As there: what was overridden since counts, and then what was in force where the reference was made.
                return view.overridden[AnyValue(value: value)] == nil ? scope[value] : view[value]
            case .reference(let view, _): return view[value]
            }
        }
        set {
            guard case .scope(let scope, let isOverride) = source else { fatalError("a reference only reads") }
            let value = name(ScopeValues.self)
            scope[value] = newValue
            if isOverride { scope.overridden[AnyValue(value: value)] = { $1[value] = $0[value] } }
        }
    }

    /// Changes values, as one of the closures that override does.
    package static func set<R>(
        in scope: EnvironmentScope,
        isOverride: Bool = true,
        _ update: (inout DependencyValues) throws -> R
    ) rethrows -> R {
        var values = DependencyValues(scope, isOverride: isOverride)
        return try Overrides.$isSetting.withValue(true) { try update(&values) }
    }

    package static func set(
        in scope: EnvironmentScope,
        isolation: isolated (any Actor)? = #isolation,
        _ update: (inout DependencyValues) async throws -> Void
    ) async rethrows {
        var values = DependencyValues(scope)
        try await Overrides.$isSetting.withValue(true) { try await update(&values) }
    }
}

/// Reads a dependency at each use: what is overridden there, else what was where the reference was made.
@propertyWrapper
public struct Dependency<Value>: Sendable {
    private let injected: Injected<Value>
    fileprivate let madeIn: EnvironmentScope?

    /// Refers to a dependency: `\.git`, `\.date.now`.
    public init(
        _ read: @escaping @Sendable (DependencyValues) -> Value,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let scope = Overrides.scope
        madeIn = scope
        injected = Injected({ read(DependencyValues($0, madeIn: scope)) }, fileID: fileID, line: line)
    }

    /// Refers to the dependency of a key: `GitClient.self`.
    public init<Key: TestDependencyKey>(
        _ key: Key.Type,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) where Key.Value == Value {
        self.init({ $0[key] }, fileID: fileID, line: line)
    }

    /// The value, as the code that reads sees it now.
    public var wrappedValue: Value { injected() }
}

private protocol MadeInScope { var madeIn: EnvironmentScope? { get } }
extension Dependency: MadeInScope {}

extension EnvironmentScope {
    /// The scope in which the dependencies of an object were made, with what was overridden since; a child of it is for an operation.
    fileprivate static func empty(from model: AnyObject?) -> EnvironmentScope {
        var mirror = model.map { Mirror(reflecting: $0) }
        while let at = mirror {
            if let found = at.children.lazy.compactMap({ $1 as? any MadeInScope }).first, let scope = found.madeIn {
                if scope === Overrides.scope { break }
                let child = empty("withDependencies", parent: scope)
                for copy in current.overridden.values { copy(current, child) }
                return child
            }
            mirror = at.superclassMirror
        }
        return empty("withDependencies")
    }
}

/// Overrides dependencies for an operation.
@discardableResult
public func withDependencies<R>(
    _ update: (inout DependencyValues) throws -> Void,
    operation: () throws -> R
) rethrows -> R {
    try withOverrides(from: nil, update, operation)
}

/// Overrides dependencies for an asynchronous operation.
@discardableResult
public func withDependencies<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ update: (inout DependencyValues) async throws -> Void,
    operation: () async throws -> R
) async rethrows -> R {
    try await withOverrides(from: nil, update, operation)
}

/// Runs an operation with the dependencies of an object that has a `@Dependency`, and overrides some.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
    from model: Model,
    _ update: (inout DependencyValues) throws -> Void,
    operation: () throws -> R
) rethrows -> R {
    try withOverrides(from: model, update, operation)
}

/// Runs an operation with the dependencies of an object that has a `@Dependency`.
@discardableResult
public func withDependencies<Model: AnyObject, R>(from model: Model, operation: () throws -> R) rethrows -> R {
    try withOverrides(from: model, { _ in }, operation)
}

/// Runs an asynchronous operation with the dependencies of an object that has a `@Dependency`.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
    from model: Model,
    isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> R
) async rethrows -> R {
    try await withOverrides(from: model, { _ in }, operation)
}

/// Runs an asynchronous operation with the dependencies of an object that has a `@Dependency`, and overrides some.
@discardableResult
public func withDependencies<Model: AnyObject, R>(
    from model: Model,
    isolation: isolated (any Actor)? = #isolation,
    _ update: (inout DependencyValues) async throws -> Void,
    operation: () async throws -> R
) async rethrows -> R {
    try await withOverrides(from: model, update, operation)
}

private func withOverrides<R>(
    from model: AnyObject?,
    _ update: (inout DependencyValues) throws -> Void,
    _ operation: () throws -> R
) rethrows -> R {
    let scope = EnvironmentScope.empty(from: model)
    try DependencyValues.set(in: scope, update)
    return try DependencyValues.Continuation(scope, overrides: scope).yield(operation)
}

private func withOverrides<R>(
    from model: AnyObject?,
    isolation: isolated (any Actor)? = #isolation,
    _ update: (inout DependencyValues) async throws -> Void,
    _ operation: () async throws -> R
) async rethrows -> R {
    let scope = EnvironmentScope.empty(from: model)
    do {
        try await DependencyValues.set(in: scope, update)
        let result = try await DependencyValues.Continuation(scope, overrides: scope).yield(operation)
        await scope.close()
        return result
    } catch {
        await scope.close()
        throw error
    }
}
