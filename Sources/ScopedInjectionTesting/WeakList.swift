import ScopedInjection

/// A list of weak references that forgets those whose objects are gone, and those that are in it again.
///
/// Nothing is asked under the lock: to ask for an object may be to keep it a little longer than anybody else does, and
/// then its deinit runs there.
final class WeakList<Element: Sendable>: Sendable {
    private let object: @Sendable (Element) -> AnyObject?
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
