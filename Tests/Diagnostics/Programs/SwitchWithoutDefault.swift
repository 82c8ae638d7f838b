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
        .cleanupFailed, .leftUnclosed, .defaultUsed, .draining, .updated, .providedTwice:
        "event"
    }
}

func word(for level: ScopeStrictness) -> String {
    // error: switch covers known cases, but 'ScopeStrictness' may have additional unknown values, possibly added in future versions
    switch level {
    case .off, .warnings, .failures: "level"
    }
}
