import Synchronization

/// A value, whose identity tells which scopes share it, and which knows what it was built from.
final class Numeral: Sendable {
    let number: Int
    /// Which one it is; nil where it was set.
    let value: Int?
    /// When its builder began, on the clock of `now()`.
    let birth: Int
    /// All that it was built from, directly or through others, each once; but not what one of them was built from that stays.
    let parts: [Numeral]
    /// Where it is kept, or would be if no discard had come in between; nil if it is not kept, or nobody knows yet.
    let home = Box<ValueInScope?>(nil)

    private static let clock = Atomic(0)

    /// The next moment.
    static func now() -> Int { clock.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }

    /// Whether it stays once it has begun, whatever it was built from.
    var stays: Bool { value.map { Numbered.once[$0] != nil } ?? false }

    init(_ number: Int, of value: Int? = nil, birth: Int = Numeral.now(), from parts: [Numeral] = []) {
        (self.number, self.value, self.birth, self.parts) = (number, value, birth, Numeral.all(of: parts))
    }

    private static func all(of parts: [Numeral]) -> [Numeral] {
        var known: Set<ObjectIdentifier> = []
        return parts.flatMap { $0.stays ? [$0] : [$0] + $0.parts }.filter {
            known.insert(ObjectIdentifier($0)).inserted
        }
    }
}

/// R3: what was begun before a discard of its value is not given any more, nor is what was built from it.
struct Discards: Sendable {
    private var begins: [ValueInScope: Int] = [:]
    /// R17: what stayed, until what it was built from was discarded.
    private var ended: [ObjectIdentifier: Numeral] = [:]

    /// Notes a discard that has returned.
    mutating func add(_ discarded: [ValueInScope], begunAt moment: Int) {
        for one in discarded { begins[one] = max(begins[one] ?? 0, moment) }
    }

    mutating func end(_ numeral: Numeral) { ended[ObjectIdentifier(numeral)] = numeral }

    /// What no read may give that begins now: the value itself, or what it was built from, was discarded.
    func reach(_ numeral: Numeral) -> Bool {
        (numeral.stays ? [numeral] : [numeral] + numeral.parts).contains { one in
            ended[ObjectIdentifier(one)] != nil || one.home.value.map { one.birth < begins[$0] ?? 0 } ?? false
        }
    }
}
