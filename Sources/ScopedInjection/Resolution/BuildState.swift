/// The state of a build: a pure value that receives events and answers with actions.
package struct BuildState: Sendable, Equatable {
    package enum Phase: Sendable, Equatable, CaseIterable {
        /// The builder runs and reads.
        case reading
        /// The result is useless, because inputs have changed: the builder has to run again.
        case stale
        /// The builder returned a value.
        case settled
        /// There is no value.
        case failed
    }

    package enum Event: Sendable, Equatable {
        /// The builder changed a scope; running it again would only change it again.
        case changedScope
        /// A read found what is not right for this build, and was made again.
        case overtaken
        /// Something else decides on the value now.
        case superseded
        /// The value needs itself.
        case metItself
        /// The builder returned a value; `isCurrent` tells whether its inputs are unchanged.
        case returned(isCurrent: Bool)
        /// The builder threw.
        case threw(isCurrent: Bool)
        /// The builder would have to run again, but has run too often.
        case wasRunTooOften
    }

    package enum Action: Sendable, Equatable {
        case goOn
        /// Keep the value where it belongs.
        case keep
        /// Return the value to the asking read, and keep it in no scope.
        case give
        /// Run the builder again.
        case runAgain
        /// Report the error that the builder threw.
        case report
        /// Report that the value needs itself, even if the builder returned a value.
        case reportCycle
        /// Report that the inputs change during each run.
        case reportUnrest
    }

    package private(set) var phase = Phase.reading
    private var hasChangedScope = false
    private var wasOvertaken = false
    private var isSuperseded = false
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
        case .overtaken:
            wasOvertaken = true
            return .goOn
        case .superseded:
            isSuperseded = true
            return .goOn
        case .metItself:
            hasMetItself = true
            return .goOn
        case .wasRunTooOften:
            return .goOn
        case .returned(true) where wasOvertaken: return handle(.returned(isCurrent: false))
        case .threw(true) where wasOvertaken: return handle(.threw(isCurrent: false))
        case .returned(let isCurrent), .threw(let isCurrent):
            if !isCurrent, isSuperseded || !hasChangedScope {  // fault: stale-build
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
