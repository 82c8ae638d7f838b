import Testing

@testable import ScopedInjection

private final class Waiter: Sendable {}

@Suite("R6: the record of who waits for whom")
struct WaitsTests {
    private let a = Waiter()
    private let b = Waiter()
    private let c = Waiter()

    private func add(_ waiting: [Waiter], for other: Waiter, _ waits: inout Waits<Waiter>) -> Bool {
        waits.add(waiting, for: other) != nil
    }

    @Test("A wait for itself, or for what it is a part of, never ends")
    func waitForItself() {
        var waits = Waits<Waiter>()
        #expect(!add([a], for: a, &waits))
        #expect(!add([a, b], for: b, &waits))
        #expect(waits.circle([a, b], b).map(ObjectIdentifier.init) == [ObjectIdentifier(b)])
    }

    @Test("A wait that closes a circle is not recorded, and the circle is known")
    func circle() {
        var waits = Waits<Waiter>()
        #expect(add([a], for: b, &waits))
        #expect(add([b], for: c, &waits))
        #expect(!add([c], for: a, &waits))
        #expect(waits.circle([c], a).map(ObjectIdentifier.init) == [a, b, c].map(ObjectIdentifier.init))
        #expect(waits.circle([Waiter()], a).isEmpty)
    }

    @Test("What a node is a part of waits with it")
    func parts() {
        var waits = Waits<Waiter>()
        #expect(add([Waiter(), a], for: b, &waits))
        #expect(!add([Waiter(), Waiter(), b], for: a, &waits))
    }

    @Test("What is forgotten that a node waits for closes no circle, and is handed out")
    func forgotten() throws {
        var waits = Waits<Waiter>()
        let added = waits.add([a], for: b)
        let wait = try #require(added)
        let forgotten = waits.forget(a)
        #expect(forgotten.values.map(ObjectIdentifier.init) == [ObjectIdentifier(b)])
        #expect(add([b], for: a, &waits))
        waits.remove(wait)
        #expect(!add([a], for: b, &waits))
    }

    @Test("A wait that is over closes no circle")
    func over() throws {
        var waits = Waits<Waiter>()
        let added = (waits.add([a], for: b), waits.add([a], for: b))
        let (first, second) = (try #require(added.0), try #require(added.1))
        waits.remove(first)
        #expect(!add([b], for: a, &waits))
        waits.remove(second)
        let third = waits.add([b], for: a)
        waits.remove(try #require(third))
        #expect(add([a], for: b, &waits))
    }

    @Test("A node whose waits are over is let go of")
    func ownership() throws {
        var waits = Waits<Waiter>()
        weak var known: Waiter?
        do {
            let node = Waiter()
            known = node
            let added = waits.add([node], for: a)
            waits.remove(try #require(added))
            let awaited = waits.add([a], for: node)
            waits.remove(try #require(awaited))
        }
        #expect(known == nil)
    }
}
