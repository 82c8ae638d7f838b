/// Runs the cleanups of a resource in its scope.
extension Resource {
    /// Runs cleanups in tasks of their own, so that one that hangs holds up no other one.
    static func begin(_ ready: [Resource]) {
        // The last one first, as in a closing.
        let plain = ready.filter(\.isPlain).sorted { $0.id > $1.id }
        if !plain.isEmpty { Task.detached { for resource in plain { await resource.runInScope() } } }
        for resource in ready where !resource.isPlain { Task.detached { await resource.runInScope() } }
    }

    private func runInScope() async {
        guard let scope else { return }
        let anchor = Anchor(scope)
        await Ending.$caller.withValue(id) { await anchor.run { await run(in: scope) } }
        end()
        withExtendedLifetime(anchor) {}
    }

    /// Runs what need not be awaited, as far as the first cleanup that has to be; false if there is one.
    func runPlain(in scope: EnvironmentScope) -> Bool {
        while let cleanup = next, case .plain(let action) = cleanup.action {
            _ = takeNext()
            let stopwatch = scope.node.whileReading { scope.node.isObservedNow } ? Stopwatch() : nil
            do {
                try action()
                scope.reportEnd(of: cleanup, stopwatch)
            } catch {
                scope.reportEnd(of: cleanup, stopwatch, error)
            }
        }
        return next == nil
    }

    func run(in scope: EnvironmentScope) async {
        while !runPlain(in: scope), let cleanup = next, case .awaited(let action) = cleanup.action {
            let stopwatch = scope.node.whileReading { scope.node.isObservedNow } ? Stopwatch() : nil
            if stopwatch != nil { scope.report(ScopeEvent(.cleanupBegan, in: scope, of: cleanup.title)) }
            do {
                try await action()
                scope.reportEnd(of: cleanup, stopwatch)
            } catch {
                scope.reportEnd(of: cleanup, stopwatch, error)
            }
            _ = takeNext()
        }
    }

    /// Ends it; no line is held.
    func end() {
        // Nobody else changes the line of what was let go of.
        let wasAwaited = line.map { line in
            Lines.shared.lock(line)
            defer { Lines.shared.unlock(line) }
            let wasAwaited = isAwaited
            leaveLine()
            return wasAwaited
        }
        if scope != nil || wasAwaited == true { Ending.shared.end(id) }
        scope = nil
    }
}

extension EnvironmentScope {
    fileprivate func reportEnd(of cleanup: Cleanup, _ stopwatch: Stopwatch?, _ error: (any Error)? = nil) {
        if stopwatch == nil, error == nil { return }
        let kind = error == nil ? ScopeEvent.Kind.cleanedUp : .cleanupFailed
        let event = ScopeEvent(kind, in: self, of: cleanup.title, after: stopwatch?.time ?? .zero, error)
        report(event)
        if error != nil { watch?.tellOfCleanupFailure(event, in: self) }
    }

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
