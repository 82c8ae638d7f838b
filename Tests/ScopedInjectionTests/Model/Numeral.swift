import Synchronization

/// A value, whose identity tells which scopes share it, and which knows what it was built from.
final class Numeral: Sendable {
    let number: Int
    /// When its builder began, on the clock of `now()`.
    let birth: Int
    /// All that it was built from, directly or through others, each once.
    let parts: [Numeral]
    /// Where it is kept, or would be if no discard had come in between; nil if it is not kept, or nobody knows yet.
    let home = Box<ValueInScope?>(nil)

    private static let clock = Atomic(0)

    /// The next moment.
    static func now() -> Int { clock.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }

    init(_ number: Int, birth: Int = Numeral.now(), from parts: [Numeral] = []) {
        (self.number, self.birth, self.parts) = (number, birth, Numeral.all(of: parts))
    }

    private static func all(of parts: [Numeral]) -> [Numeral] {
        var known: Set<ObjectIdentifier> = []
        return parts.flatMap { [$0] + $0.parts }.filter { known.insert(ObjectIdentifier($0)).inserted }
    }
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
        ([numeral] + numeral.parts).contains { one in one.home.value.map { one.birth < begins[$0] ?? 0 } ?? false }
    }
}
