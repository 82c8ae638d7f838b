import ScopedInjection
import ScopedInjectionTesting

// It has no more cases than these.
func word(for policy: DefaultsPolicy) -> String {
    switch policy {
    case .allowed, .forbidden, .reported: "policy"
    }
}

func isKnown(_ code: ScopeError.Code) -> Bool {
    switch code {
    case .missingValue, .cycle, .makeFailed, .parentReleased, .closed, .roleMissing, .defaultForbidden, .invalid: true
    @unknown default: false
    }
}

// The others may get one more.

func word(for code: ScopeError.Code) -> String {
    // error: switch covers known cases, but 'ScopeError.Code' may have additional unknown values, possibly added in future versions
    switch code {
    case .missingValue, .cycle, .makeFailed, .parentReleased, .closed, .roleMissing, .defaultForbidden, .invalid: "code"
    }
}

func word(for lifetime: ValueLifetime) -> String {
    // error: switch covers known cases, but 'ValueLifetime' may have additional unknown values, possibly added in future versions
    switch lifetime {
    case .shared, .once, .transient: "lifetime"
    }
}

func word(for kind: ScopeEvent.Kind) -> String {
    // error: switch covers known cases, but 'ScopeEvent.Kind' may have additional unknown values, possibly added in future versions
    switch kind {
    case .built, .builtLate, .thrownAway, .discarded, .failed, .waited, .cleanupBegan, .cleanupOverdue, .cleanedUp,
        .cleanupFailed, .leftUnclosed, .defaultUsed, .updated, .providedTwice:
        "event"
    }
}

func word(for cause: ScopeEvent.Cause) -> String {
    // error: switch covers known cases, but 'ScopeEvent.Cause' may have additional unknown values, possibly added in future versions
    switch cause {
    case .input, .replaced, .discarded, .closed: "cause"
    }
}

func word(for kind: ScopeGraph.Kind) -> String {
    // error: switch covers known cases, but 'ScopeGraph.Kind' may have additional unknown values, possibly added in future versions
    switch kind {
    case .set, .provided, .built, .transient, .inProgress: "node"
    }
}

func word(for source: ScopeExplanation.Source) -> String {
    // error: switch covers known cases, but 'ScopeExplanation.Source' may have additional unknown values, possibly added in future versions
    switch source {
    case .set, .provided, .decorated, .default, .unknown: "source"
    }
}

func word(for reason: KeepingReason) -> String {
    // error: switch covers known cases, but 'KeepingReason' may have additional unknown values, possibly added in future versions
    switch reason {
    case .input, .provided, .decorated, .staying, .role, .policy, .closed, .outermost: "reason"
    }
}

func word(for level: ScopeStrictness) -> String {
    // error: switch covers known cases, but 'ScopeStrictness' may have additional unknown values, possibly added in future versions
    switch level {
    case .off, .warnings, .failures: "level"
    }
}
