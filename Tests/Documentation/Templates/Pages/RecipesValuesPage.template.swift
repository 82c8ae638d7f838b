import Dispatch
import Foundation
import ScopedInjection
import Synchronization
import Testing

private struct Client: Sendable {
    let host: String
    let tenant: String
}

// ⟨Recipes.md: static var client⟩ private

private final class Repository<Entity>: Sendable {
    let database: any Database
    init(database: any Database) { self.database = database }
}

// ⟨Recipes.md: static func repository⟩ private

// ⟨Recipes.md: struct Weak⟩ private

// ⟨Recipes.md: static var cache⟩ private

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
        // ⟨Recipes.md: #expect(app.client⟩
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
            // ⟨Recipes.md: let cache⟩
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
