import Synchronization

/// Is told of a scope, and of what lies below it, on behalf of a test.
///
/// A read in such a scope goes past the walk (see `Node.gate`) and tells; other scopes know nothing of it. The members
/// are called on the thread where it happens, under no lock.
package protocol ScopeWatch: AnyObject, Sendable {
    /// Whether this is the scope that is watched, not one below it.
    func watches(_ scope: EnvironmentScope) -> Bool

    /// A scope was made: the watched one, or one below.
    func noteChild(_ scope: EnvironmentScope)

    /// A reference was bound to the scope, or to one below.
    func noteReference(_ reference: any WatchedReference)

    /// Another scope is about to take the place of the watched one, which is the global one.
    func noteReplacement(by scope: EnvironmentScope)

    /// A value was set or provided in the scope, or in one below.
    func noteSet(_ value: ValueKey, in scope: EnvironmentScope)

    /// A value was removed from the scope, or from one below; nil for all its values.
    func noteRemoved(_ value: ValueKey?, from scope: EnvironmentScope)

    /// A value is about to be read in the scope, or in one below.
    func noteRead(_ read: WatchedRead)

    /// Whether a default may be used although it is forbidden.
    func allowsDefault(of value: ValueKey) -> Bool

    /// A read that cannot throw has no value: says whether another attempt may give one, or else the program ends.
    ///
    /// - Parameter before: The errors of the attempts before, to which this one is added.
    func retries(after error: ScopeError, _ before: inout [ScopeError]) -> Bool

    /// A read that cannot throw was given a value after attempts that failed.
    func noteGiven(after errors: [ScopeError])

    /// Whether the test has ended, from before its scope is closed: a value that cannot be kept any more is given all the same.
    var isEnding: Bool { get }
}

/// A read in a watched scope, for as long as the watch is told of it.
package struct WatchedRead {
    let node: NodePointer
    package let value: ValueKey
    /// Which decision the read goes past; see `Question`.
    let past: UInt64
    /// Whether a builder reads.
    package let isInBuilder: Bool
}

extension EnvironmentScope {
    /// Makes a scope that is watched.
    package convenience init(
        _ name: String?,
        parent: EnvironmentScope?,
        defaults: DefaultsPolicy?,
        watchedBy watch: any ScopeWatch
    ) {
        self.init(name: name, link: Links.link(to: parent, Lines.ofThread()), defaults: defaults, watch: watch)
        startWatching(watch)
    }

    /// Lets a scope be watched that exists already; of several watches the first stays.
    package func startWatching(_ watch: any ScopeWatch) {
        guard let node else { return }
        makeRare().state.withLock { $0.watch = $0.watch ?? watch }
        let lines = node.startWriting()
        node.pointee.gate.store(0, ordering: .releasing)
        node.pointee.flags.insert(.watched)
        node.countDecisions()
        node.noteChange()
        node.finishWriting(lines)
        if isGlobal { GlobalScope.isWatched.store(true, ordering: .releasing) }
    }

    /// Tells the watch of the global scope, if there is one, which scope is about to take its place.
    static func noteNextGlobal(_ scope: EnvironmentScope) {
        guard let watch = GlobalScope.watch, let scope = scope.target else { return }
        watch.noteReplacement(by: scope)
    }

    /// Forbids defaults in a scope that exists already.
    package func forbidDefaults() {
        guard let node else { return }
        let lines = node.pointee.lines
        lines.lock(.every)
        node.pointee.flags.insert(.forbidsDefaults)
        node.pointee.flags.remove(.allowsDefaults)
        node.countDecisions()
        lines.noteMove()
        lines.unlock(.every)
    }
}

extension GlobalScope {
    /// Whether some global scope was ever watched.
    fileprivate static let isWatched = Atomic(false)

    /// The watch of the global scope, where a test process has one.
    static var watch: (any ScopeWatch)? {
        guard isWatched.load(ordering: .acquiring) else { return nil }
        let link = link
        return Lines.shared.whileReading { link._withUnsafeGuaranteedRef { $0.node?.rare } }?.watch
    }
}
