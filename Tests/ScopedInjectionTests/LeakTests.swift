import ScopedInjection
import Testing

/// How deep in the stored value the service lies.
private enum Depth: CaseIterable {
    case plain, structure, tuple, optional, array, dictionaryValue, dictionaryKey, set, enumPayload, indirectEnum
    case otherObject, superclass, mixture

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

/// Whether a service is first stored or first bound, and how it is bound.
private enum Order: CaseIterable {
    case storedThenBound, boundThenStored, madeBoundThenStored, replacedThenStored, storedThenReplaced
    case storedThenReplacedInValues, boundTwice

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
        case .replacedThenStored:
            scope.replace(in: service)
            store()
        case .storedThenReplaced:
            store()
            scope.replace(in: service)
        case .storedThenReplacedInValues:
            store()
            holder.replaceInValues(options: .nested)
            scope.replace(in: service)
        case .boundTwice:
            service.port.scope = scope
            store()
            service.port.scope = nil
            service.port.scope = scope
        }
    }
}

/// In which scope of the bound scope's chain the service is stored.
private enum Place: CaseIterable { case itself, parent, grandparent }

@Suite("R8: references bound to a scope that owns them do not keep it alive")
struct LeakTests {
    @Test("Stored in the same scope, in either order and however deep", arguments: Depth.allCases, Order.allCases)
    fileprivate func ownScope(_ depth: Depth, _ order: Order) {
        let watch = LifetimeWatch()
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 1 })
            let service = watch.add(BoundService(scope: order == .madeBoundThenStored ? scope : nil))
            order.perform(service, store: { scope.anything = depth.wrap(service) }, storedIn: scope, boundTo: scope)
            withExtendedLifetime(scope) {
                #expect(service.port.scope === scope)
                #expect(service.port() == 1)
            }
        }
        #expect(watch.count == 2)
        #expect(watch.alive == 0)
    }

    @Test("Stored anywhere in the chain of the scope", arguments: Place.allCases, Order.allCases)
    fileprivate func chain(_ place: Place, _ order: Order) {
        let watch = LifetimeWatch()
        do {
            let grandparent = watch.add(EnvironmentScope("grandparent", parent: nil) { $0.port = 1 })
            let parent = watch.add(EnvironmentScope.empty("parent", parent: grandparent))
            let scope = watch.add(EnvironmentScope.empty("scope", parent: parent))
            let holder = [.itself: scope, .parent: parent, .grandparent: grandparent][place] ?? scope
            let service = watch.add(BoundService(scope: order == .madeBoundThenStored ? scope : nil))
            order.perform(service, store: { holder.service = service }, storedIn: holder, boundTo: scope)
            withExtendedLifetime((grandparent, parent, scope)) {
                #expect(service.port.scope === scope)
                #expect(service.port() == 1)
            }
        }
        #expect(watch.count == 4)
        #expect(watch.alive == 0)
    }

    @Test("Built by the scope that keeps them", arguments: [ValueLifetime.shared, .scoped])
    func built(_ lifetime: ValueLifetime) {
        enum SharedKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> BoundService { BoundService(scope: scope) }
        }
        enum ScopedKey: ScopeKey {
            static var lifetime: ValueLifetime { .scoped }
            static func makeValue(in scope: EnvironmentScope) -> BoundService { BoundService(scope: .current) }
        }
        let watch = LifetimeWatch()
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.port = 1 })
            let request = watch.add(EnvironmentScope("request", parent: app) { $0.port = 2 })
            let service = lifetime == .shared ? request[SharedKey.self] : request[ScopedKey.self]
            watch.add(service)
            withExtendedLifetime((app, request)) {
                #expect(service.port() == (lifetime == .shared ? 1 : 2))
            }
        }
        #expect(watch.alive == 0)
    }

    @Test("Built with a scope that comes from elsewhere")
    func builtWithOtherScope() {
        final class Finder: Sendable {
            weak let scope: EnvironmentScope?
            init(_ scope: EnvironmentScope) { self.scope = scope }
        }
        let watch = LifetimeWatch()
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.port = 1 })
            let finder = Finder(app)
            app.provide(BoundServiceKey.self) { _ in BoundService(scope: finder.scope) }
            withExtendedLifetime(app) {
                #expect(watch.add(app.service).port() == 1)
            }
        }
        #expect(watch.alive == 0)
    }

    @Test("Built first and bound later")
    func builtThenBound() {
        let watch = LifetimeWatch()
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.port = 1 })
            let request = watch.add(EnvironmentScope.empty("request", parent: app))
            let service = watch.add(request.service)
            withExtendedLifetime((app, request)) {
                #expect(app.localValue(for: BoundServiceKey.self) === service)
                service.port.scope = request
                #expect(service.port() == 1)
                app.replaceInValues()
                #expect(service.port.scope === app)
            }
        }
        #expect(watch.alive == 0)
    }

    @Test("Stored in a child that a value of the bound scope owns", arguments: 0..<6)
    func ownedChild(_ order: Int) {
        let watch = LifetimeWatch()
        do {
            let parent = watch.add(EnvironmentScope("parent", parent: nil) { $0.port = 1 })
            let child = watch.add(EnvironmentScope.empty("child", parent: parent))
            let service = watch.add(BoundService())
            let own = { parent.owner = watch.add(ScopeOwner(child)) }
            let store = { child.service = service }
            let bind = { service.port.scope = parent }
            let orders = [
                [own, store, bind], [own, bind, store], [store, own, bind],
                [store, bind, own], [bind, own, store], [bind, store, own],
            ]
            for step in orders[order] { step() }
            withExtendedLifetime((parent, child)) {
                #expect(child.service.port() == 1)
            }
        }
        #expect(watch.count == 4)
        #expect(watch.alive == 0)
    }

    @Test("Stored in scopes whose references form a ring", arguments: 1...4, [true, false])
    func ring(_ size: Int, isBoundFirst: Bool) {
        let watch = LifetimeWatch()
        do {
            let scopes = (0..<size).map { number in
                watch.add(EnvironmentScope("\(number)", parent: nil) { $0.port = number })
            }
            let services = (0..<size).map { _ in watch.add(BoundService()) }
            for number in 0..<size {
                let next = scopes[(number + 1) % size]
                if isBoundFirst { services[number].port.scope = next }
                scopes[number].service = services[number]
                if !isBoundFirst { services[number].port.scope = next }
            }
            let ports = withExtendedLifetime(scopes) { services.map { $0.port() } }
            #expect(ports == (1...size).map { $0 % size })
        }
        #expect(watch.count == 2 * size)
        #expect(watch.alive == 0)
    }

    @Test("Bound and stored by two threads at once")
    func threads() {
        let watch = LifetimeWatch()
        for _ in 0..<200 {
            // The threads' closures may outlive the bodies; they hold the box only.
            let box = Box<(EnvironmentScope, BoundService)?>(nil)
            do {
                let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }
                box.value = (watch.add(scope), watch.add(BoundService()))
            }
            onThreads(2) { number in
                guard let (scope, service) = box.value else { return }
                if number == 0 { scope.service = service } else { service.port.scope = scope }
            }
            #expect(box.value?.1.port.scope === box.value?.0)
            if let (scope, service) = box.value {
                withExtendedLifetime(scope) {
                    #expect(service.port() == 1)
                }
            }
            box.value = nil
        }
        #expect(watch.count == 400)
        #expect(watch.alive == 0)
    }

    @Test("Stored in two scopes, of which one is bound")
    func twoScopes() {
        let watch = LifetimeWatch()
        do {
            let first = watch.add(EnvironmentScope("first", parent: nil) { $0.port = 1 })
            let second = watch.add(EnvironmentScope.empty("second", parent: nil))
            let service = watch.add(BoundService())
            second.service = service
            service.port.scope = first
            first.service = service
            withExtendedLifetime((first, second)) {
                #expect(second.service.port() == 1)
            }
        }
        #expect(watch.alive == 0)
    }

    @Test("Deep in a chain of objects")
    func deepObjects() {
        final class Link: Sendable {
            let next: Link?
            let service: BoundService?
            init(next: Link?, service: BoundService?) {
                self.next = next
                self.service = service
            }
        }
        let watch = LifetimeWatch()
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 1 })
            let service = watch.add(BoundService(scope: scope))
            var link = Link(next: nil, service: service)
            for _ in 0..<1_000 { link = Link(next: link, service: nil) }
            scope.anything = link
            withExtendedLifetime(scope) {
                #expect(service.port() == 1)
            }
        }
        #expect(watch.alive == 0)
    }

    @Test("A reference that a scope owns reads from it as long as it lives, and has no scope when it is gone")
    func ownedReference() {
        let service = BoundService()
        var scope: EnvironmentScope? = EnvironmentScope("owner", parent: nil) { $0.port = 1 }
        scope?.service = service
        service.port.scope = scope
        withExtendedLifetime(scope) {
            #expect(service.port() == 1)
            scope?.port = 2
            #expect(service.port() == 2)
        }
        scope = nil
        #expect(service.port.scope == nil)
    }

    @Test("A read through an owned reference of a scope that is gone ends the program and names the scope")
    func ownedReferenceWithoutScope() async throws {
        let result = try await #require(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let service = BoundService()
            do {
                let scope = EnvironmentScope("owner", parent: nil) { $0.port = 1 }
                scope.service = service
                service.port.scope = scope
            }
            _ = service.port()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("\"owner\""))
    }
}
