import ScopedInjection
import Testing

/// A scope that has a service as a value, or not, and a reference of the service that is bound to it.
private enum Row: CaseIterable {
    case storedThenReplaced, builtThenReplaced, storedInParentThenReplaced, foundByRecursive, inValues
    case replacedThenStored, insideAStoredValue, inAStoredStruct, explicit

    /// Whether the scope keeps itself alive.
    var leaks: Bool {
        [.replacedThenStored, .insideAStoredValue, .inAStoredStruct, .explicit].contains(self)
    }

    func perform(_ scope: EnvironmentScope, below parent: EnvironmentScope) -> BoundService {
        struct Holder { let service = Injected(\.service) }
        let service = BoundService()
        switch self {
        case .storedThenReplaced:
            scope.service = service
            scope.replace(in: service)
        case .builtThenReplaced:
            scope.replace(in: scope.service)
            return scope.service
        case .storedInParentThenReplaced:
            parent.service = service
            scope.replace(in: service)
        case .foundByRecursive:
            scope.service = service
            scope.replace(in: Holder(), options: .recursive)
        case .inValues:
            scope.anything = [service]
            scope.replaceInValues(options: .nested)
        case .replacedThenStored:
            scope.replace(in: service)
            scope.service = service
        case .insideAStoredValue:
            scope.anything = [service]
            scope.replace(in: service)
        case .inAStoredStruct:
            let stored = Stored(port: service.port)
            scope.anything = stored
            scope.replace(in: stored)
        case .explicit:
            scope.service = service
            service.port.scope = scope
        }
        return service
    }

    private struct Stored: Sendable { let port: Injected<Int> }
}

@Suite("R8: replace(in:) owns the scope, but not where the instance is then a value of its chain", .programRoots)
struct OwnershipTests {
    @Test("A scope that has the service as a value goes with its last user, or keeps itself", arguments: Row.allCases)
    private func values(_ row: Row) {
        let watch = LifetimeWatch()
        weak var reference: Injected<Int>?
        do {
            let parent = EnvironmentScope.empty("parent", parent: nil)
            let scope = watch.add(EnvironmentScope("scope", parent: parent) { $0.port = 1 })
            let service = row.perform(scope, below: parent)
            reference = service.port
            withExtendedLifetime((parent, scope)) {
                #expect(service.port() == 1 && service.port.scope === scope)
            }
        }
        #expect(watch.alive == (row.leaks ? 1 : 0))
        reference?.scope = nil
        #expect(watch.alive == 0)
    }

    @Test("A reference that owns its scope keeps it and its chain alive, until it is given another one") func owned() {
        for isExplicit in [true, false] {
            let watch = LifetimeWatch()
            let service = BoundService()
            ThreeLevels.with(watch) { if isExplicit { service.port.scope = $0 } else { $0.replace(in: service) } }
            #expect(watch.alive == 3)
            #expect(service.port() == 1)
            service.port.scope = nil
            #expect(watch.alive == 0)
        }
    }

    @Test("The last binding counts: an explicit one owns, replace(in:) of a value does not") func lastBinding() {
        let watch = LifetimeWatch()
        let service = BoundService()
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.service = service })
            service.port.scope = app
            app.replace(in: service)
        }
        #expect(watch.alive == 0)
        #expect(service.port.scope == nil)
    }

    @Test("A value of one scope that is bound to another one keeps that alive") func otherScope() {
        let watch = LifetimeWatch()
        do {
            let holder = EnvironmentScope.empty("holder", parent: nil)
            do {
                let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 1 })
                holder.service = BoundService()
                scope.replace(in: holder.service)
            }
            #expect(watch.alive == 1)
            #expect(holder.service.port() == 1)
        }
        #expect(watch.alive == 0)
    }
}

/// Its mirror counts its reads.
private final class Counted: Sendable, CustomReflectable {
    let looks: Box<Int>
    init(_ looks: Box<Int>) { self.looks = looks }
    var customMirror: Mirror {
        looks.update { $0 += 1 }
        return Mirror(self, children: [:])
    }
}

/// Refers to an object that is gone.
private final class Dangling: Sendable {
    unowned let object: Product
    init(_ object: Product) { self.object = object }
}

@Suite("R8: storing a value looks into nothing, whatever was bound", .programRoots)
struct StoringTests {
    @Test("Storing a value reads no mirror of it, and follows no reference to an object that is gone") func storing() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let service = BoundService()
        app.replace(in: service)
        let looks = Box(0)
        for scope in [app, EnvironmentScope.empty("request", parent: app)] {
            scope.anything = Counted(looks)
            scope.anything = [Counted(looks)]
            scope.anything = Dangling(Product("gone"))
            scope.anything = ["a": Dangling(Product("gone"))]
            scope.anything = nil
        }
        #expect(looks.value == 0)
        #expect(service.port.scope === app)
    }
}
