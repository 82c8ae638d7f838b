import Synchronization

/// A value, which knows what it was built from; two of one number are equal, and need not be one.
struct Numeral: Equatable, Sendable {
    fileprivate final class Object: Sendable {
        let number: Int
        let value: Int?
        let birth: Int
        let place: String?
        let parts: [Numeral]
        let home = Box<ValueInScope?>(nil)

        init(_ number: Int, of value: Int?, birth: Int, in place: String?, from parts: [Numeral]) {
            (self.number, self.value, self.birth, self.place, self.parts) = (number, value, birth, place, parts)
        }
    }

    fileprivate let object: Object

    var number: Int { object.number }
    /// Which one it is; nil where it was set.
    var value: Int? { object.value }
    /// When its builder began, on the clock of `now()`.
    var birth: Int { object.birth }
    /// The scope that its builder worked for.
    var place: String? { object.place }
    /// All that it was built from, directly or through others, each once; but not what one of them was built from that stays.
    var parts: [Numeral] { object.parts }
    /// Where it is kept, or would be if no discard had come in between; nil if it is not kept, or nobody knows yet.
    var home: Box<ValueInScope?> { object.home }

    private static let clock = Atomic(0)

    /// The next moment.
    static func now() -> Int { clock.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }

    /// Whether it stays once it has begun, whatever it was built from.
    var stays: Bool { value.map { Numbered.once[$0] != nil } ?? false }

    init(
        _ number: Int,
        of value: Int? = nil,
        birth: Int = Numeral.now(),
        in place: String? = nil,
        from parts: [Numeral] = []
    ) {
        var known: Set<ObjectIdentifier> = []
        let all = parts.flatMap { $0.stays ? [$0] : [$0] + $0.parts }
        object = Object(
            number,
            of: value,
            birth: birth,
            in: place,
            from: all.filter { known.insert(ObjectIdentifier($0.object)).inserted }
        )
    }

    static func == (one: Numeral, other: Numeral) -> Bool { one.number == other.number }
}

extension Numeral? {
    /// Whether they are one, or none.
    static func === (one: Numeral?, other: Numeral?) -> Bool { one?.object === other?.object }
    static func !== (one: Numeral?, other: Numeral?) -> Bool { !(one === other) }
}

/// R3: what was begun before a discard of its value is not given any more, nor is what was built from it.
struct Discards: Sendable {
    private var begins: [ValueInScope: Int] = [:]

    /// Notes a discard that has returned.
    mutating func add(_ discarded: [ValueInScope], begunAt moment: Int) {
        for one in discarded { begins[one] = max(begins[one] ?? 0, moment) }
    }

    /// What no read may give that begins now: the value itself, or what it was built from, was discarded.
    func reach(_ numeral: Numeral) -> Bool {
        (numeral.stays ? [numeral] : [numeral] + numeral.parts).contains { one in
            one.home.value.map { one.birth < begins[$0] ?? 0 } ?? false
        }
    }
}
