import ScopedInjection
import Synchronization
import Testing

/// An id that does something whenever it is hashed or compared.
private struct ActiveID: Hashable, Sendable {
    let number: Int
    let act: @Sendable () -> Void

    init(_ number: Int, _ act: @escaping @Sendable () -> Void = {}) { (self.number, self.act) = (number, act) }

    static func == (one: Self, other: Self) -> Bool {
        one.act()
        other.act()
        return one.number == other.number
    }

    func hash(into hasher: inout Hasher) { act() }
}

/// Another type of id with the same hash.
private struct OtherID: Hashable, Sendable {
    let text: String
    func hash(into hasher: inout Hasher) {}
}

private func evaluated(_ count: Box<Int>) -> Int {
    count.update { $0 += 1 }
    return 0
}

extension ScopeValues {
    fileprivate static func number(_ id: some Hashable & Sendable) -> ScopeValue<Int> { .value(0, id: id) }
    fileprivate static func watched(_ id: ActiveID, _ count: Box<Int>) -> ScopeValue<Int> {
        .value(evaluated(count), id: id)
    }
    fileprivate static var doubled: ScopeValue<Box<Int>> { .lazy { Box(try 2 * $0[ScopeValues.number("doubled")]) } }
}

@Suite("A family has a value for each id", .programRoots)
struct FamilyTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("Ids of different types are different, also if they are the same number or have the same hash")
    func types() {
        let values = { () -> [ScopeValue<Int>] in
            let one: [ScopeValue<Int>] = [ScopeValues.number(1), ScopeValues.number(1.0), ScopeValues.number(UInt8(1))]
            return one + [ScopeValues.number(ActiveID(1)), ScopeValues.number(OtherID(text: "1"))]
        }
        #expect(Set(values()).count == 5)
        #expect(values() == values())
    }

    @Test("The code of an id may read scopes, and declare values") func reads() {
        let numbers = Atomic(0)
        let id = { number in
            ActiveID(number) { [app] in
                let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
                #expect(app[ScopeValues.number("in the code of an id \(number)")] == 0)
            }
        }
        for number in 0..<4 { app[ScopeValues.number(id(number))] = number }
        #expect((0..<4).allSatisfy { app[ScopeValues.number(id($0))] == $0 })
        #expect(numbers.load(ordering: .relaxed) > 8)
    }

    @Test("Eight threads that read a family, and declare values, wait for no code of an id") func nobodyWaits() async {
        let (entered, mayGoOn) = (Gate(), Gate())
        let scope = app
        scope[ScopeValues.number(ActiveID(1))] = 1
        let slow = onThread {
            let id = ActiveID(1) {
                entered.open()
                mayGoOn.wait()
            }
            _ = scope[ScopeValues.number(id)]
        }
        entered.wait()
        await onThreads(8) { thread in
            #expect(scope[ScopeValues.number(ActiveID(1))] == 1)
            #expect(scope[ScopeValues.number("declared by \(thread)")] == 0)
        }
        mayGoOn.open()
        slow.wait()
    }

    @Test("A value that another thread declares while an id is compared is the same value", arguments: 1...4)
    func declaredMeanwhile(comparison: Int) {
        let number = 100 + comparison
        let calls = Atomic(0)
        _ = ScopeValues.number(ActiveID(100))
        let declared = Box<ScopeValue<Int>?>(nil)
        // It is hashed twice before the record is looked for, and compared with those of the same hash each time.
        let mine = ScopeValues.number(
            ActiveID(number) {
                if calls.wrappingAdd(1, ordering: .relaxed).newValue == comparison {
                    declared.value = elsewhere { ScopeValues.number(ActiveID(number)) }
                }
            }
        )
        #expect(declared.value == mine)
    }

    @Test("The constant of an id that another thread declares while the ids are compared is evaluated once")
    func evaluatedMeanwhile() {
        let count = Box(0)
        _ = ScopeValues.watched(ActiveID(0), count)
        // It is hashed twice, and compared with the first id when the value is looked for, and once more before it is declared.
        for comparison in 1...8 {
            let calls = Atomic(0)
            count.value = 0
            let id = ActiveID(comparison) {
                if calls.wrappingAdd(1, ordering: .relaxed).newValue == 2 + 2 * comparison {
                    _ = elsewhere { ScopeValues.watched(ActiveID(comparison), count) }
                }
            }
            _ = ScopeValues.watched(id, count)
            #expect(count.value == 1)
        }
    }

    @Test("A request that sets one of a family shares what was built from another, and rebuilds what was built from it")
    func sharing() {
        let other = EnvironmentScope("request", parent: app) { $0[ScopeValues.number("set in a request")] = 1 }
        let same = EnvironmentScope("request", parent: app) { $0[ScopeValues.number("doubled")] = 1 }
        #expect(other.doubled === app.doubled)
        #expect(same.doubled.value == 2)
        #expect(app.doubled.value == 0)
        app[ScopeValues.number("doubled")] = 5
        #expect(other.doubled.value == 10 && other.doubled === app.doubled)
    }
}
