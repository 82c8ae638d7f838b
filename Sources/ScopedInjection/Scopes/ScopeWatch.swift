import Synchronization

/// Is told of a scope, and of what lies below it, on behalf of a test.
///
/// A read in such a scope goes past the walk (see `Node.gate`) and tells; other scopes know nothing of it. The members
/// are called on the thread where it happens, under no lock.
package protocol ScopeWatch: AnyObject, Sendable {
    /// A scope was made below the watched one.
    func tellOfChild(_ scope: EnvironmentScope)
    /// A value was set, provided or decorated in the watched scope, or in one below.
    func tellOfSet(_ value: ValueKey, in scope: EnvironmentScope)
    /// A value was removed from the watched scope, or from one below.
    func tellOfRemoval(_ value: ValueKey, from scope: EnvironmentScope)
    /// A value is about to be read in the watched scope, or in one below.
    func tellOfRead(_ read: WatchedRead)
    /// A default was given that is reported; the error is the one that a scope that forbids it would give.
    ///
    /// - Parameters:
    ///   - inputs: What it was built from, directly or not, with what values that stay were built from.
    ///   - around: The live defaults that are being built from it.
    func tellOfDefault(_ error: ScopeError, builtFrom inputs: [Input], for around: [ValueKey])
    /// A read has failed, because a value is missing or its default is forbidden; or what has failed so was taken for nil.
    func tellOfRefusal(_ error: ScopeError, isNil: Bool)
    /// A value was read that is begun in the watched scope only because that has every role.
    func tellOfRole(of value: ValueKey, in scope: EnvironmentScope)
    /// A reference was bound to the watched scope, or to one below.
    func tellOfReference(_ reference: any WatchedReference)
    /// A cleanup of the watched scope, or of one below, has thrown.
    func tellOfCleanupFailure(_ failure: ScopeEvent, in scope: EnvironmentScope)
    /// The watched scope, or one below, was closed, and keeps a value that was built after that.
    func tellOfLateBuild(of value: ValueKey, in scope: EnvironmentScope)
    /// The watched scope, or one below, went away unclosed with cleanups left, of which the last is registered at a place.
    func tellOfLeftUnclosed(_ scope: EnvironmentScope, _ cleanup: ScopeError.Location)
    /// Another scope has become the global one in place of the watched one.
    func tellOfReplacement(by scope: EnvironmentScope)
    /// The scope that is read instead of the test's, when that is gone with its test; else nil.
    var scopeOfEnded: EnvironmentScope? { get }
    /// A read that cannot throw has failed and ends the program: what the text says besides.
    func linesOfEnd(_ error: ScopeError) -> [String]
}

/// The part of a reference that a watch may see.
package protocol WatchedReference: AnyObject, Sendable {
    /// The place of the reference in the source.
    var location: ScopeError.Location { get }
    /// The reference's own scope, if the reference keeps it alive.
    var ownedScope: EnvironmentScope? { get }
}

/// A read in a watched scope, for as long as the watch is told of it.
package struct WatchedRead {
    /// The value that was asked for.
    package let value: ValueKey
    /// The version of the decision that is skipped, by a decoration of the value; 0 for none.
    let past: UInt64
    /// The scope that was asked.
    package let scope: EnvironmentScope
    package let isInBuilder: Bool
    /// The place of the reference that reads.
    package let reference: ScopeError.Location?

    /// The values whose live defaults the read is given: that of the value, or those of what it was built from.
    package var liveDefaults: [ValueKey] {
        let decision = scope.node.inspect { Look.decide(value.address, past: past, from: scope.node) }
        return decision.isDefault && value.hasLiveDefault ? [value] : keptDefaults
    }

    /// Those of what it was built from, if it is there; its own if there are none.
    package var keptDefaults: [ValueKey] {
        scope.node.inspect {
            let found = Look.find(value.address, past: past, from: scope.node)
            guard let kept = found.cell?.kept else { return [] }
            let defaults = kept.inputs.filter(\.isLiveDefault).map(\.value)
            return defaults.isEmpty && found.isDefault && value.hasLiveDefault ? [value] : defaults
        }
    }

    package var searched: ChainNames { scope.chainNames }

    /// Whether the outermost scope is the global one.
    package var isBelowGlobal: Bool {
        let global = GlobalScope.current.node
        return scope.node.inspect { scope.node.chain.contains(global) }
    }
}

/// What a reported default was built from.
extension Input {
    package var value: ValueKey { .at(key) }
    package var isInstance: Bool { past == Input.instance }
    /// Itself, after what it was built from if it is a value that stays; the caller holds a line.
    func withThoseOfStaying(from node: NodePointer) -> [Input] {
        guard isInstance, value.role != nil, let kept = Look.find(key, from: node).cell?.kept else { return [self] }
        return kept.inputs.flatMap { $0.withThoseOfStaying(from: node) } + [self]
    }

    package var isLiveDefault: Bool { version == Input.byDefault && !isInstance && value.hasLiveDefault }

    /// Whether a scope has set or provided it.
    package func isDecided(by scope: EnvironmentScope) -> Bool {
        scope.node.inspect { scope.node.decides(on: key) && scope.node.slot(key)?.pointee.version == version }
    }
}

extension EnvironmentScope {
    /// Lets the scope be watched; a second watch takes the place of the first.
    package func startWatching(_ watch: any ScopeWatch) {
        node.whileWriting {
            node.makeExtras().watch = watch
            node.markWatched()
        }
    }

    /// Gives a new scope the watch of its parent, which may go before it.
    func beWatchedAsParent() {
        guard let watch else { return }
        startWatching(watch)
        watch.tellOfChild(self)
    }

    /// Gives a scope each role, for a test.
    package func takeEveryRole() {
        node.whileWriting {
            node.pointee.flags.insert(.everyRole)
            node.countDecisions()
            node.countChange()
        }
    }

    /// Lets a closed scope keep values again, so that a late read is told and given.
    package func reopen() {
        node.whileWriting {
            node.pointee.flags.subtract([.closed, .draining])
            node.countChange()
        }
    }

    /// Whether the value is set or kept here or further out, but for the global scope.
    package func has(_ value: ValueKey) -> Bool {
        let global = GlobalScope.current.node
        return node.inspect {
            let found = Look.find(value.address, from: node)
            return found.cell != nil && node.outwards(found.level) != global
        }
    }

    /// The watch of the scope, or of the nearest one further out that has one.
    var watch: (any ScopeWatch)? {
        if !node.isWatched { return nil }
        return node.inspect { node.chain.lazy.compactMap { $0.extras?.watch }.first }
    }

    /// Whether what the calling thread reads is for the change of a part.
    package static var isChangingPart: Bool { ThreadState.current.pointee.activity.isChangingPart }

    /// Tells the watch of a change.
    @inline(__always)
    func tellOfSet(_ value: ValueKey) {
        if node.isWatched { tellWatch(ofSet: value) }
    }

    private func tellWatch(ofSet value: ValueKey) {
        if !node.inspect({ node.pointee.flags.contains(.part) }) { watch?.tellOfSet(value, in: self) }
    }
}
