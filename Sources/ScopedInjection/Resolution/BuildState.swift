/// How far a build has come, and what becomes of it: a pure value, told what happens and asked what to do.
package struct BuildState: Sendable, Equatable {
    package enum Phase: Sendable, Equatable, CaseIterable {
        /// The builder runs and reads.
        case reading
        /// What it gave, or threw, is of no use: it has to run again.
        case stale
        /// It gave a value.
        case settled
        /// It has no value.
        case failed
    }

    package enum Event: Sendable, Equatable {
        /// The builder changed a scope: to run it again would only change it again.
        case changedScope
        /// The value turned out to need itself.
        case metItself
        /// The builder gave a value; its inputs are still what it read, or not.
        case returned(isCurrent: Bool)
        /// The builder threw.
        case threw(isCurrent: Bool)
        /// It would have to run again, but has run as often as it may.
        case wasRunTooOften
    }

    package enum Action: Sendable, Equatable {
        case goOn
        /// Keep the value where it belongs.
        case keep
        /// Give the value to who asked, and keep it nowhere.
        case give
        /// Run the builder again.
        case runAgain
        /// Report what the builder threw.
        case report
        /// Report that the value needs itself, whatever the builder made of that.
        case reportCycle
        /// Report that there is no moment at which the inputs stay the same.
        case reportUnrest
    }

    package private(set) var phase = Phase.reading
    private var hasChangedScope = false
    private var hasMetItself = false

    package init() {}

    package mutating func handle(_ event: Event) -> Action {
        if phase == .stale, event == .wasRunTooOften {  // fault: gives-up
            phase = .failed
            return .reportUnrest
        }
        guard phase == .reading else { return .goOn }
        switch event {
        case .changedScope:
            hasChangedScope = true
            return .goOn
        case .metItself:
            hasMetItself = true
            return .goOn
        case .wasRunTooOften:
            return .goOn
        case .returned(let isCurrent), .threw(let isCurrent):
            if !isCurrent, !hasChangedScope {  // fault: stale-build
                phase = .stale
                return .runAgain
            }
            return end(event)
        }
    }

    private mutating func end(_ event: Event) -> Action {
        if hasMetItself {  // fault: cycle-met
            phase = .failed
            return .reportCycle
        }
        guard case .returned(let isCurrent) = event else {
            phase = .failed
            return .report
        }
        phase = .settled
        return isCurrent ? .keep : .give  // fault: kept-if-current
    }
}
