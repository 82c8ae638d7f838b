import Dispatch
import Foundation
import ScopedInjection
import ScopedInjectionTesting
import Synchronization
import Testing

nonisolated private final class Cart: Sendable {}

nonisolated private final class Checkout: Sendable {
    let cart: Cart
    init(cart: Cart) { self.cart = cart }
}

// ⟨Lifetimes.md: static var cart⟩ nonisolated private

nonisolated private final class Scratch: Sendable {
    let drawn = Box<[Int]>([])
    func draw(_ page: Int) { drawn.update { $0.append(page) } }
}

// ⟨Lifetimes.md: struct Weak⟩ private

// ⟨Lifetimes.md: static var cache⟩ private

private final class Made: Sendable {}

extension ScopeValues {
    fileprivate static var scratch: ScopeValue<Scratch> { .lazy(.transient) { _ in Scratch() } }
}

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

@Suite("Documentation: lifetimes")
struct LifetimesPage {
    let app = EnvironmentScope.empty("app", parent: nil)
    let request: EnvironmentScope

    init() { request = EnvironmentScope("request", parent: app) { $0.requestID = "7" } }

    @Test(.scope()) func cartsAreApart() {
        let first = EnvironmentScope.empty("first", role: .request)
        let second = EnvironmentScope.empty("second", role: .request)
        #expect(first.cart !== second.cart)
        // What is built from the cart belongs to the request, too.
        #expect(first.checkout.cart === first.cart)
    }

    @Test("What a child makes and does not keep ends with it")
    func moments() async {
        let (made, ended) = (Box(0), Box<[Int]>([]))
        app.provide(\.scratch) { reader in
            let scratch = Scratch()
            made.update { $0 += 1 }
            reader.onClose { ended.update { $0 += scratch.drawn.value } }
            return scratch
        }
        // ⟨Lifetimes.md: for page⟩
        #expect(made.value == 3)
        #expect(ended.value == [1, 2, 3])
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
