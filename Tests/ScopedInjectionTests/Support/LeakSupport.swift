import ScopedInjection
import Testing

/// How deep the service lies in the stored value.
enum Depth: CaseIterable {
    case plain, optional, structure, tuple, array, dictionaryValue, dictionaryKey, set, enumPayload, indirectEnum
    case otherObject, superclass, mixture

    /// Whether the service is itself the stored value.
    var isItself: Bool { self == .plain || self == .optional }

    private struct Structure: Sendable { let service: BoundService }
    private struct Pair: Sendable { let pair: (Int, BoundService) }
    private struct Hashed: Hashable, Sendable {
        let service: BoundService
        static func == (lhs: Hashed, rhs: Hashed) -> Bool { lhs.service === rhs.service }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(service)) }
    }
    private enum Payload: Sendable {
        case service(BoundService, label: String)
        indirect case nested(Payload)
    }
    private class Base: @unchecked Sendable {
        let service: BoundService
        init(_ service: BoundService) { self.service = service }
    }
    private final class Derived: Base, @unchecked Sendable { let text = "derived" }

    func wrap(_ service: BoundService) -> any Sendable {
        switch self {
        case .plain: service
        case .structure: Structure(service: service)
        case .tuple: Pair(pair: (1, service))
        case .optional: BoundService?.some(service)
        case .array: [Structure(service: service)]
        case .dictionaryValue: ["service": service]
        case .dictionaryKey: [Hashed(service: service): 1]
        case .set: [Hashed(service: service)] as Set
        case .enumPayload: Payload.service(service, label: "payload")
        case .indirectEnum: Payload.nested(.nested(.service(service, label: "payload")))
        case .otherObject: Base(service)
        case .superclass: Derived(service)
        case .mixture: ["a": [1: Payload.nested(.service(service, label: "")), 2: nil], "b": nil]
        }
    }
}

/// How a reference of a service is bound to a scope, and whether before or after it is stored.
enum Order: CaseIterable {
    case storedThenBound, boundThenStored, madeBoundThenStored, boundTwice
    case replacedThenStored, storedThenReplaced, storedThenReplacedTwice
    case unownedThenStored, storedThenUnowned, storedThenReplacedInValues, replacedThenUnowned

    /// Whether the reference keeps the scope alive.
    ///
    /// - Parameter isItself: Whether the service is itself a value of the scope or its chain.
    func owns(whereStored isItself: Bool) -> Bool {
        switch self {
        case .storedThenBound, .boundThenStored, .madeBoundThenStored, .boundTwice: true
        case .replacedThenStored, .storedThenReplaced, .storedThenReplacedTwice: !isItself
        case .unownedThenStored, .storedThenUnowned, .storedThenReplacedInValues, .replacedThenUnowned: false
        }
    }

    func perform(
        _ service: BoundService,
        store: () -> Void,
        storedIn holder: EnvironmentScope,
        boundTo scope: EnvironmentScope
    ) {
        switch self {
        case .storedThenBound:
            store()
            service.port.scope = scope
        case .boundThenStored:
            service.port.scope = scope
            store()
        case .madeBoundThenStored:
            store()
        case .boundTwice:
            service.port.scope = scope
            store()
            service.port.scope = nil
            service.port.scope = scope
        case .replacedThenStored:
            scope.replace(in: service)
            store()
        case .storedThenReplaced:
            store()
            scope.replace(in: service)
        case .storedThenReplacedTwice:
            store()
            holder.replaceInValues(options: .nested)
            scope.replace(in: service)
        case .unownedThenStored:
            scope.replace(in: service, options: .unowned)
            store()
        case .storedThenUnowned:
            store()
            scope.replace(in: service, options: .unowned)
        case .storedThenReplacedInValues:
            store()
            scope.replace(in: service)
            service.port.scope = nil
            holder.replaceInValues(options: .nested)
        case .replacedThenUnowned:
            scope.replace(in: service)
            store()
            scope.replace(in: service, options: .unowned)
        }
    }
}

/// The scope in the bound scope's chain in which the service is stored.
enum Place: CaseIterable { case itself, parent, grandparent }

/// How a service's reference is bound.
enum Binding: CaseIterable {
    case explicit, replaced, unowned

    func bind(_ service: BoundService, to scope: EnvironmentScope) {
        switch self {
        case .explicit: service.port.scope = scope
        case .replaced: scope.replace(in: service)
        case .unowned: scope.replace(in: service, options: .unowned)
        }
    }
}

extension LifetimeWatch {
    /// Checks that the services keep everything alive, or nothing, and then breaks the rings.
    func expect(leak: Bool, by services: [WeakService], _ location: SourceLocation = #_sourceLocation) {
        if leak {
            #expect(alive == count, sourceLocation: location)
            for service in services { service.service?.port.scope = nil }
        }
        #expect(alive == 0, sourceLocation: location)
    }
}

/// A weak reference to a service, so that a test can break a ring that it is part of.
final class WeakService {
    weak let service: BoundService?

    init(_ service: BoundService?) { self.service = service }
}
