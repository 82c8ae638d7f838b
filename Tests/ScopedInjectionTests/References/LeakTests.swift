import ScopedInjection
import Testing

@Suite("R8: references that keep their owning scope alive, and those that do not")
struct LeakTests {
    @Test("Stored in the same scope, in either order and however deep", arguments: Depth.allCases, Order.allCases)
    func ownScope(_ depth: Depth, _ order: Order) {
        let watch = LifetimeWatch()
        let known: WeakService
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 1 })
            let service = watch.add(BoundService(scope: order == .madeBoundThenStored ? scope : nil))
            known = WeakService(service)
            order.perform(service, store: { scope.anything = depth.wrap(service) }, storedIn: scope, boundTo: scope)
            withExtendedLifetime(scope) {
                #expect(service.port.scope === scope)
                #expect(service.port() == 1)
            }
        }
        #expect(watch.count == 2)
        watch.expect(leak: order.owns(whereStored: depth.isItself), by: [known])
    }

    @Test("Stored anywhere in the chain of the scope", arguments: Place.allCases, Order.allCases)
    func chain(_ place: Place, _ order: Order) {
        let watch = LifetimeWatch()
        let known: WeakService
        do {
            let grandparent = watch.add(EnvironmentScope("grandparent", parent: nil) { $0.port = 1 })
            let parent = watch.add(EnvironmentScope.empty("parent", parent: grandparent))
            let scope = watch.add(EnvironmentScope.empty("scope", parent: parent))
            let holder = [.itself: scope, .parent: parent, .grandparent: grandparent][place] ?? scope
            let service = watch.add(BoundService(scope: order == .madeBoundThenStored ? scope : nil))
            known = WeakService(service)
            order.perform(service, store: { holder.service = service }, storedIn: holder, boundTo: scope)
            withExtendedLifetime((grandparent, parent, scope)) {
                #expect(service.port.scope === (order == .storedThenReplacedInValues ? holder : scope))
                #expect(service.port() == 1)
            }
        }
        #expect(watch.count == 4)
        watch.expect(leak: order.owns(whereStored: true), by: [known])
    }

    @Test("Built with the scope that their builder was given", arguments: [ValueLifetime.shared, .scoped])
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

    @Test("Built with a scope that comes from elsewhere, which they keep alive")
    func builtWithOtherScope() {
        final class Finder: Sendable {
            weak let scope: EnvironmentScope?
            init(_ scope: EnvironmentScope) { self.scope = scope }
        }
        let watch = LifetimeWatch()
        let known: WeakService
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.port = 1 })
            let finder = Finder(app)
            app.provide(BoundServiceKey.self) { _ in BoundService(scope: finder.scope) }
            known = WeakService(app.service)
            withExtendedLifetime(app) {
                #expect(watch.add(app.service).port() == 1)
            }
        }
        watch.expect(leak: true, by: [known])
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

    @Test("Stored in a child that a value of the bound scope owns", arguments: 0..<6, Binding.allCases)
    func ownedChild(_ order: Int, _ binding: Binding) {
        let watch = LifetimeWatch()
        let known: WeakService
        do {
            let parent = watch.add(EnvironmentScope("parent", parent: nil) { $0.port = 1 })
            let child = watch.add(EnvironmentScope.empty("child", parent: parent))
            let service = watch.add(BoundService())
            known = WeakService(service)
            let own = { parent.owner = watch.add(ScopeOwner(child)) }
            let store = { child.service = service }
            let bind = { binding.bind(service, to: parent) }
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
        watch.expect(leak: binding != .unowned, by: [known])
    }

    @Test("Stored in scopes whose references form a ring", arguments: 1...4, Binding.allCases)
    func ring(_ size: Int, _ binding: Binding) {
        for isBoundFirst in [true, false] {
            let watch = LifetimeWatch()
            let known: [WeakService]
            do {
                let scopes = (0..<size).map { number in
                    watch.add(EnvironmentScope("\(number)", parent: nil) { $0.port = number })
                }
                let services = (0..<size).map { _ in watch.add(BoundService()) }
                known = services.map { WeakService($0) }
                for number in 0..<size {
                    let next = scopes[(number + 1) % size]
                    if isBoundFirst { binding.bind(services[number], to: next) }
                    scopes[number].service = services[number]
                    if !isBoundFirst { binding.bind(services[number], to: next) }
                }
                let ports = withExtendedLifetime(scopes) { services.map { $0.port() } }
                #expect(ports == (1...size).map { $0 % size })
            }
            #expect(watch.count == 2 * size)
            watch.expect(leak: binding == .explicit || binding == .replaced && size > 1, by: known)
        }
    }

    @Test("Bound and stored by two threads at once")
    func threads() async {
        let watch = LifetimeWatch()
        for _ in 0..<200 {
            // The closures of the threads may outlive the bodies, so they hold only the box.
            let box = Box<(EnvironmentScope, BoundService)?>(nil)
            do {
                let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }
                box.value = (watch.add(scope), watch.add(BoundService()))
            }
            await onThreads(2) { number in
                guard let (scope, service) = box.value else { return }
                if number == 0 { scope.service = service } else { scope.replace(in: service) }
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
}
