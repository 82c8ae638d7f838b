import ScopedInjection

/// A list of weak references that forgets those whose objects are gone, and those that are in it again.
///
/// No object is asked for under the lock. Whoever asks for one holds it for a moment, perhaps as the last, and then its
/// deinit would run under the lock.
final class WeakList<Element: Sendable>: Sendable {
    private let object: @Sendable (Element) -> AnyObject?
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

    init(_ object: @escaping @Sendable (Element) -> AnyObject?) { self.object = object }

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
        var known: Set<ObjectIdentifier> = []
        var gone: Set<ObjectIdentifier> = []
        for entry in entries {
            let object = object(entry.element).map { ObjectIdentifier($0) }
            if object.map({ known.insert($0).inserted }) != true { gone.insert(ObjectIdentifier(entry)) }
        }
        state.withLock { state in
            state.entries.removeAll { gone.contains(ObjectIdentifier($0)) }
            state.limit = 2 * state.entries.count + 16
        }
    }
}
