/// Runs the cleanups of a resource in its scope.
extension Resource {
    /// Runs what nobody holds up: what need not be awaited at once, one after the other, and each other one in a task of its own.
    ///
    /// No lock is held.
    ///
    /// - Parameter inTasks: Whether all run in tasks, for a caller that returns at a limit.
    static func begin(_ ready: [Resource], inTasks: Bool = false) {
        let plain = beginAwaited(ready, inTasks)
        if plain.isEmpty { return }
        if !Task.isCancelled { return runAll(plain) }
        // No cleanup is cancelled.
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate { runAll(plain) }
        } else {
            Task { runAll(plain) }
        }
    }

    /// Begins what runs in tasks, and returns the rest, what has its turn first at the end: the last one, as in a closing.
    private static func beginAwaited(_ ready: [Resource], _ inTasks: Bool = false) -> [Resource] {
        var plain: [Resource] = []
        for resource in ready {
            if resource.isPlain, !inTasks {
                plain.append(resource)
            } else {
                // Here, because the scopes further out may be gone before a task begins.
                resource.keepChain()
                Task.detached { await resource.runInScope() }
            }
        }
        return plain.sorted { $0.id < $1.id }
    }

    /// Runs cleanups, and those that waited for them: in a loop, because a chain may be as long as the user's data.
    private static func runAll(_ plain: [Resource]) {
        var (waiting, last) = (plain, Anchor?.none)
        // A task that a cleanup starts is no part of the end in which that runs.
        Ending.$caller.withValue(.init()) {
            while let resource = waiting.popLast() {
                resource.keepChain(by: last)
                guard let scope = resource.scope, let anchor = resource.anchor else { continue }
                anchor.run { _ = resource.runPlain(in: scope) }
                last = anchor
                let freed = beginAwaited(resource.end(isKnown: true))
                if !freed.isEmpty { waiting = (waiting + freed).sorted { $0.id < $1.id } }
            }
        }
    }

    private func runInScope() async {
        guard let scope, let anchor else { return }
        await Ending.$caller.withValue(.init(end: id)) { await anchor.run { await run(in: scope) } }
        Self.begin(end(isKnown: true))
    }

    /// Keeps the scope and its chain until the resource goes, by an anchor of that scope if there is one.
    private func keepChain(by other: Anchor? = nil) {
        guard anchor == nil, let scope else { return }
        anchor = other?.node == scope.node ? other : Anchor(scope)
    }

    /// Runs what need not be awaited, as far as the first cleanup that has to be; false if there is one.
    func runPlain(in scope: EnvironmentScope) -> Bool {
        ThreadState.aside { runEachPlain(in: scope) }
        return !hasCleanups
    }

    private func runEachPlain(in scope: EnvironmentScope) {
        while let action = takePlain() {
            let stopwatch = isObserved ? Stopwatch() : nil
            do {
                try action()
                if let stopwatch { reportEnd(in: scope, stopwatch) }
            } catch {
                reportEnd(in: scope, stopwatch, error)
            }
            dropNext()
        }
    }

    @inline(__always)
    func run(in scope: EnvironmentScope) async {
        while !runPlain(in: scope), let action = nextAwaited {
            let isSeen = isObserved && nextIsDue
            let stopwatch = isSeen ? Stopwatch() : nil
            if isSeen { scope.report(ScopeEvent(.cleanupBegan, in: scope, of: nextTitle)) }
            do {
                try await action()
                if let stopwatch { reportEnd(in: scope, stopwatch) }
            } catch {
                reportEnd(in: scope, stopwatch, error)
            }
            dropNext()
        }
    }

    private func reportEnd(in scope: EnvironmentScope, _ stopwatch: Stopwatch?, _ error: (any Error)? = nil) {
        let kind = error == nil ? ScopeEvent.Kind.cleanedUp : .cleanupFailed
        let time = stopwatch?.time ?? .zero
        let event = ScopeEvent(kind, in: scope, of: nextTitle, after: time, error)
        scope.report(event)
        if error != nil { scope.watch?.tellOfCleanupFailure(event, in: scope) }
    }

    /// Ends it, and returns what nobody holds up any more; no line is held.
    ///
    /// - Parameter isKnown: Whether the state machine of ends knows it.
    func end(isKnown: Bool) -> [Resource] {
        // Nobody else changes the line of what was let go of.
        let wasAwaited = line.map { line in
            Lines.shared.lock(line)
            defer { Lines.shared.unlock(line) }
            let wasAwaited = isAwaited
            leaveLine()
            return wasAwaited
        }
        return isKnown || wasAwaited == true ? Ending.shared.finish(id) : []
    }
}

extension EnvironmentScope {
    /// Tells of a circle of ends, in which nobody has waited.
    func report(circle: [String]?) {
        guard let circle, circle.count > 2 else { return }
        var error = ScopeError(.cycle, advice: "let no cleanup close a scope whose own cleanups close this one.")
        error.fields.path = circle
        let event = ScopeEvent(.cleanupFailed, in: self, error)
        report(event)
        watch?.tellOfCleanupFailure(event, in: self)
    }
}

extension ScopeEvent {
    init(
        _ kind: Kind,
        in scope: EnvironmentScope,
        of title: Cleanup.Title,
        after time: Duration = .zero,
        _ error: (any Error)? = nil
    ) {
        let place = title.place.map { ScopeError.Location($0) }
        self.init(kind, in: scope, of: title.value, after: time, error, at: place)
    }
}
