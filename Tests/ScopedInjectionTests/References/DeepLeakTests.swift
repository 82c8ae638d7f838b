import ScopedInjection
import Testing

@Suite("R8: references deep inside a value of a scope, and in a value of two scopes")
struct DeepLeakTests {
    @Test("Stored in two scopes, of which one is bound", arguments: Binding.allCases)
    func twoScopes(_ binding: Binding) {
        let watch = LifetimeWatch()
        let known: WeakService
        do {
            let first = watch.add(EnvironmentScope("first", parent: nil) { $0.port = 1 })
            let second = EnvironmentScope.empty("second", parent: nil)
            let service = watch.add(BoundService())
            known = WeakService(service)
            second.service = service
            binding.bind(service, to: first)
            first.service = service
            withExtendedLifetime((first, second)) {
                #expect(second.service.port() == 1)
            }
        }
        watch.expect(leak: binding == .explicit, by: [known])
    }

    @Test("Deep in a chain of objects", arguments: Binding.allCases)
    func deepObjects(_ binding: Binding) {
        final class Link: Sendable {
            let next: Link?
            let service: BoundService?
            init(next: Link?, service: BoundService?) {
                self.next = next
                self.service = service
            }
        }
        let watch = LifetimeWatch()
        let known: WeakService
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 1 })
            let service = watch.add(BoundService())
            known = WeakService(service)
            binding.bind(service, to: scope)
            var link = Link(next: nil, service: service)
            for _ in 0..<1_000 { link = Link(next: link, service: nil) }
            scope.anything = link
            withExtendedLifetime(scope) {
                #expect(service.port() == 1)
            }
        }
        watch.expect(leak: binding != .unowned, by: [known])
    }

    @Test("A value of the scope that .nested or .recursive finds does not own it", arguments: [true, false])
    func foundOnTheWay(isStoredFirst: Bool) {
        struct Holder {
            let services: [BoundService]
            let service = Injected(key: BoundServiceKey.self)
        }
        let watch = LifetimeWatch()
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 1 })
            let nested = watch.add(BoundService())
            let resolved = watch.add(BoundService())
            let holder = Holder(services: [nested])
            scope.service = resolved
            if isStoredFirst { scope.anything = nested }
            #expect(scope.replace(in: holder, options: [.nested, .recursive]) == 3)
            if !isStoredFirst { scope.anything = nested }
            #expect(holder.service.scope === scope)
            withExtendedLifetime(scope) {
                #expect(nested.port() == 1)
                #expect(resolved.port() == 1)
            }
        }
        #expect(watch.count == 3)
        #expect(watch.alive == 0)
    }

    @Test("A value type that is stored in the scope does not own it either", arguments: [true, false])
    func valueTypes(isStoredFirst: Bool) {
        struct Handler: Sendable { let port = Injected(\.port) }
        struct Router: Sendable { let handlers: [String: Handler?] }
        let watch = LifetimeWatch()
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 1 })
            let router = Router(handlers: ["a": Handler(), "b": Handler(), "c": nil])
            if isStoredFirst { scope.anything = router }
            #expect(scope.replace(in: router, options: .nested) == 2)
            if !isStoredFirst { scope.anything = router }
            withExtendedLifetime(scope) {
                #expect(router.handlers["a"]??.port() == 1)
            }
        }
        #expect(watch.alive == 0)
    }

    @Test("A reference that a scope owns reads from it while it lives, and then has no scope")
    func ownedReference() {
        let service = BoundService()
        var scope: EnvironmentScope? = EnvironmentScope("owner", parent: nil) { $0.port = 1 }
        scope?.service = service
        scope?.replace(in: service)
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
                scope.replace(in: service)
            }
            _ = service.port()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("\"owner\""))
    }

    @Test("A reference in a value of its own explicit scope keeps that alive for good")
    func explicitScope() {
        let watch = LifetimeWatch()
        let known: WeakService
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 1 })
            let service = watch.add(BoundService(scope: scope))
            known = WeakService(service)
            scope.service = service
            scope.replaceInValues()
            service.port.scope = scope
        }
        watch.expect(leak: true, by: [known])
    }
}
