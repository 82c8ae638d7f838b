import ScopedInjection

/// A list of weak references that forgets those whose objects are gone.
///
/// No object is asked for under the lock. Whoever asks for one holds it for a moment, perhaps as the last, and then its
/// deinit would run under the lock.
final class WeakList<Element: Sendable>: Sendable {
    private let isGone: @Sendable (Element) -> Bool
    private let state = Guarded(State())

    private struct State: Sendable {
        var entries: [Entry] = []
        var limit = 16
    }

    /// A class, so that a copy of the list does not copy weak references, which would touch their objects.
    private final class Entry: Sendable {
        let element: Element
        init(_ element: Element) { self.element = element }
    }

    init(isGone: @escaping @Sendable (Element) -> Bool) { self.isGone = isGone }

    var all: [Element] { state.withLock { $0.entries }.map(\.element) }

    func append(_ element: Element) {
        let entry = Entry(element)
        let entries = state.withLock { state -> [Entry] in
            state.entries.append(entry)
            guard state.entries.count >= state.limit else { return [] }
            state.limit = .max
            return state.entries
        }
        if !entries.isEmpty { forgetGone(of: entries) }
    }

    private func forgetGone(of entries: [Entry]) {
        let gone = Set(entries.lazy.filter { self.isGone($0.element) }.map(ObjectIdentifier.init))
        state.withLock { state in
            state.entries.removeAll { gone.contains(ObjectIdentifier($0)) }
            state.limit = 2 * state.entries.count + 16
        }
    }
}
