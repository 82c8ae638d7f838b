import ScopedInjection

/// A list of weak references that forgets those whose objects are gone.
///
/// Nothing is asked under the lock: to ask for an object may be to keep it a little longer than anybody else does, and
/// then its deinit runs there.
final class WeakList<Element: Sendable>: Sendable {
    private let isGone: @Sendable (Element) -> Bool
    private let state = Guarded(State())

    private struct State: Sendable {
        var entries: [Entry] = []
        var limit = 16
    }

    /// A class, so that nobody touches the object where the list is copied.
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
