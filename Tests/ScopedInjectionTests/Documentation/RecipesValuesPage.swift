import Dispatch
import Foundation
import ScopedInjection
import Synchronization
import Testing

private struct Client: Sendable {
    let host: String
    let tenant: String
}

extension ScopeValues {
    fileprivate static var client: ScopeValue<@Sendable (String) -> Client> {
        .lazy {
            let host = try $0.host
            return { tenant in Client(host: host, tenant: tenant) }
        }
    }
}

private final class Repository<Entity>: Sendable {
    let database: any Database
    init(database: any Database) { self.database = database }
}

extension ScopeValues {
    fileprivate static func repository<Entity>(of _: Entity.Type) -> ScopeValue<Repository<Entity>> {
        .lazy(id: ObjectIdentifier(Entity.self)) {
            Repository(database: try $0.database)
        }
    }
}

private struct UserHandler {
    @Injected({ $0.repository(of: User.self) }) var users
}

private struct Weak<Object: AnyObject> { weak var object: Object? }

private func whileHeld<Object: AnyObject & Sendable>(
    _ make: @escaping @Sendable () -> Object
) -> @Sendable () -> Object {
    let held = Mutex(Weak<Object>())
    return {
        if let object = held.withLock({ $0.object }) { return object }
        let made = make()
        return held.withLock {
            let object = $0.object ?? made
            $0.object = object
            return object
        }
    }
}

extension ScopeValues {
    fileprivate static var cache: ScopeValue<@Sendable () -> NoteStore> {
        .lazy {
            let database = try $0.database
            return whileHeld { NoteStore(database: database) }
        }
    }
}

private final class Made: Sendable {}

/// What two makers share: the first run of each waits for that of the other, and then asks for the other's value.
private final class Crossing: Sendable {
    private let begun = Mutex<Set<String>>([])
    private let arrived = ["left": DispatchSemaphore(value: 0), "right": DispatchSemaphore(value: 0)]

    func make(_ name: String, after other: String, _ ask: () -> Made) -> Made {
        guard begun.withLock({ $0.insert(name).inserted }) else { return Made() }
        arrived[name]?.signal()
        arrived[other]?.wait()
        _ = ask()
        return Made()
    }
}

extension ScopeValues {
    private static var crossing: ScopeValue<Crossing> { .lazy { _ in Crossing() } }
    fileprivate static var left: ScopeValue<@Sendable () -> Made> {
        .lazy {
            let (crossing, right) = (try $0.crossing, Injected(\.right))
            return whileHeld { crossing.make("left", after: "right") { right()() } }
        }
    }
    fileprivate static var right: ScopeValue<@Sendable () -> Made> {
        .lazy {
            let (crossing, left) = (try $0.crossing, Injected(\.left))
            return whileHeld { crossing.make("right", after: "left") { left()() } }
        }
    }
}

@Suite("Documentation: recipes for values")
struct RecipesValuesPage {
    let app = EnvironmentScope.empty("app", parent: nil)
    let request: EnvironmentScope

    init() { request = EnvironmentScope("request", parent: app) { $0.requestID = "7" } }

    @Test("A function takes parameters when the value is read")
    func parameters() {
        #expect(app.client("north").tenant == "north")
        #expect(app.client("north").host == "localhost")
    }

    @Test("A generic function is one value for each type")
    func families() {
        let handler = UserHandler()
        #expect(app { handler.users } === app[ScopeValues.repository(of: User.self)])
        #expect(app { handler.users } !== app[ScopeValues.repository(of: Token.self)])
    }

    @Test("A value goes with the last one who holds it")
    func whileHeld() {
        weak var gone: NoteStore?
        do {
            let cache = app.cache()
            #expect(request.cache() === cache)
            gone = cache
        }
        #expect(gone == nil)
    }

    @Test("Makers that ask for each other's value on two threads do not deadlock, and all are given one object of each")
    func crossingMakers() {
        let held = Box<[Made]>([])
        let ends = DispatchGroup()
        for value in [app.left, app.right] {
            ends.enter()
            Thread { [app] in
                let made = app { value() }
                held.update { $0.append(made) }
                ends.leave()
            }.start()
        }
        #expect(ends.wait(timeout: .now() + 60) == .success)
        let kept = held.value
        #expect(kept.contains { $0 === app.left() } && kept.contains { $0 === app.right() })
    }
}
