/// Runs the cleanups of a resource in its scope.
extension Resource {
    /// Runs cleanups in tasks of their own, so that one that hangs holds up no other one.
    static func begin(_ ready: [Resource]) {
        if ready.isEmpty { return }
        // The last one first, as in a closing.
        let plain = ready.filter(\.isPlain).sorted { $0.id > $1.id }
        if !plain.isEmpty { Task.detached { runAll(plain) } }
        for resource in ready where !resource.isPlain { Task.detached { await resource.runInScope() } }
    }

    private static func runAll(_ plain: [Resource]) {
        var anchor: Anchor?
        for resource in plain {
            guard let scope = resource.scope else { continue }
            let inForce = anchor.flatMap { $0.node == scope.node ? $0 : nil } ?? Anchor(scope)
            inForce.run { _ = resource.runPlain(in: scope) }
            resource.end(isKnown: true)
            anchor = inForce
        }
    }

    private func runInScope() async {
        guard let scope else { return }
        let anchor = Anchor(scope)
        await Ending.$caller.withValue(.init(end: id)) { await anchor.run { await run(in: scope) } }
        end(isKnown: true)
        withExtendedLifetime(anchor) {}
    }

    /// Runs what need not be awaited, as far as the first cleanup that has to be; false if there is one.
    func runPlain(in scope: EnvironmentScope) -> Bool {
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
        return !hasCleanups
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

    /// Ends it; no line is held.
    ///
    /// - Parameter isKnown: Whether the state machine of ends knows it.
    func end(isKnown: Bool) {
        // Nobody else changes the line of what was let go of.
        let wasAwaited = line.map { line in
            Lines.shared.lock(line)
            defer { Lines.shared.unlock(line) }
            let wasAwaited = isAwaited
            leaveLine()
            return wasAwaited
        }
        if isKnown || wasAwaited == true { Ending.shared.end(id) }
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
