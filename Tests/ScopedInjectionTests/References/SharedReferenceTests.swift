import ScopedInjection
import Testing

@Suite("R8: a reference that several instances share")
struct SharedReferenceTests {
    private final class Service: Sendable {
        let port: Injected<Int>
        init(_ port: Injected<Int>) { self.port = port }
    }

    /// Which of two services that share a reference is the scope's value, and when it is stored.
    enum Stored: CaseIterable { case firstBefore, secondBefore, firstAfter, secondAfter }

    /// The scope and the reference that are alive when nobody holds either.
    private static func alive(storing stored: Stored?, _ bind: (EnvironmentScope, Service, Service) -> Void) -> Int {
        let watch = LifetimeWatch()
        weak var reference: Injected<Int>?
        do {
            let scope = watch.add(EnvironmentScope("scope", parent: nil) { $0.port = 7 })
            let port = watch.add(Injected(\.port))
            reference = port
            let first = Service(port)
            let second = Service(port)
            switch stored {
            case .firstBefore: scope.anything = first
            case .secondBefore: scope.anything = second
            case .firstAfter, .secondAfter, nil: break
            }
            bind(scope, first, second)
            switch stored {
            case .firstBefore, .secondBefore, nil: break
            case .firstAfter: scope.anything = first
            case .secondAfter: scope.anything = second
            }
            withExtendedLifetime(scope) { #expect(first.port() == 7) }
        }
        defer { reference?.scope = nil }
        return watch.alive
    }

    @Test("It owns no scope that has one of them as a value", arguments: Stored.allCases)
    func together(_ stored: Stored) {
        let listed = Self.alive(storing: stored) { scope, first, second in
            #expect(scope.replace(in: first, second) == 1)
        }
        let nested = Self.alive(storing: stored) { scope, first, second in
            #expect(scope.replace(in: [first, second] as [Any], options: .nested) == 1)
        }
        #expect([listed, nested] == [0, 0])
    }

    @Test("So it is if they are bound one after the other", arguments: Stored.allCases)
    func apart(_ stored: Stored) {
        let alive = Self.alive(storing: stored) {
            $0.replace(in: $1)
            $0.replace(in: $2)
        }
        #expect(alive == 0)
    }

    @Test("Nor does it where a value type that has it is stored", arguments: [true, false])
    func inStruct(isStoredFirst: Bool) {
        struct Holder: Sendable { let port: Injected<Int> }
        let alive = Self.alive(storing: nil) { scope, first, second in
            if isStoredFirst { scope.anything = Holder(port: first.port) }
            scope.replace(in: first, second)
            if !isStoredFirst { scope.anything = Holder(port: first.port) }
        }
        #expect(alive == 0)
    }

    @Test("Nor does it where it is a value itself", arguments: [true, false])
    func asValue(isStoredFirst: Bool) {
        let alive = Self.alive(storing: nil) { scope, first, _ in
            if isStoredFirst { scope.anything = first.port }
            scope.replace(in: first)
            if !isStoredFirst { scope.anything = first.port }
        }
        #expect(alive == 0)
    }
}
