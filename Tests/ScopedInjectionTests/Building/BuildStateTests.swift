import ScopedInjection
import Testing

@Suite("The state of a build, at every event in every phase")
struct BuildStateTests {
    /// The events of a build before its builder ended.
    struct Past: CaseIterable, CustomTestStringConvertible {
        var changedScope = false
        var metItself = false

        static let allCases = [
            Past(), Past(changedScope: true), Past(metItself: true), Past(changedScope: true, metItself: true),
        ]

        var testDescription: String { "changed a scope: \(changedScope), met itself: \(metItself)" }

        var state: BuildState {
            var state = BuildState()
            if changedScope { _ = state.handle(.changedScope) }
            if metItself { _ = state.handle(.metItself) }
            return state
        }
    }

    static let events: [BuildState.Event] = [
        .changedScope, .overtaken, .superseded, .metItself, .returned(isCurrent: true), .returned(isCurrent: false),
        .threw(isCurrent: true),
        .threw(isCurrent: false), .wasRunTooOften,
    ]

    static let endings: [BuildState.Event] = [
        .returned(isCurrent: true), .returned(isCurrent: false), .threw(isCurrent: true),
    ]

    @Test("It begins by reading")
    func beginning() {
        #expect(BuildState().phase == .reading)
        #expect(BuildState() == BuildState())
    }

    @Test("Events while the builder runs change neither the phase nor the action", arguments: Past.allCases)
    func noting(_ past: Past) {
        for event in [BuildState.Event.changedScope, .overtaken, .superseded, .metItself] {
            var state = past.state
            #expect(state.handle(event) == .goOn)
            #expect(state.phase == .reading)
            let once = state
            #expect(state.handle(event) == .goOn)
            #expect(state == once)
        }
    }

    @Test("The order of those events does not matter")
    func orderOfNotes() {
        var state = BuildState()
        _ = state.handle(.metItself)
        _ = state.handle(.changedScope)
        #expect(state == Past(changedScope: true, metItself: true).state)
        #expect(state != BuildState())
    }

    @Test("A value whose inputs have not changed is kept, unless it needs itself", arguments: Past.allCases)
    func returnedCurrent(_ past: Past) {
        var state = past.state
        #expect(state.handle(.returned(isCurrent: true)) == (past.metItself ? .reportCycle : .keep))
        #expect(state.phase == (past.metItself ? .failed : .settled))
    }

    @Test(
        "A value whose inputs have changed is built again, unless the builder changed a scope",
        arguments: Past.allCases
    )
    func returnedOutdated(_ past: Past) {
        var state = past.state
        let action = state.handle(.returned(isCurrent: false))
        switch (past.changedScope, past.metItself) {
        case (false, _):
            #expect(action == .runAgain)
            #expect(state.phase == .stale)
        case (true, false):
            #expect(action == .give)
            #expect(state.phase == .settled)
        case (true, true):
            #expect(action == .reportCycle)
            #expect(state.phase == .failed)
        }
    }

    @Test("The builder's error is reported, unless the value needs itself", arguments: Past.allCases)
    func threwCurrent(_ past: Past) {
        var state = past.state
        #expect(state.handle(.threw(isCurrent: true)) == (past.metItself ? .reportCycle : .report))
        #expect(state.phase == .failed)
    }

    @Test(
        "If the inputs have changed, the builder's error is ignored, unless the builder changed a scope",
        arguments: Past.allCases
    )
    func threwOutdated(_ past: Past) {
        var state = past.state
        let action = state.handle(.threw(isCurrent: false))
        switch (past.changedScope, past.metItself) {
        case (false, _):
            #expect(action == .runAgain)
            #expect(state.phase == .stale)
        case (true, false):
            #expect(action == .report)
            #expect(state.phase == .failed)
        case (true, true):
            #expect(action == .reportCycle)
            #expect(state.phase == .failed)
        }
    }

    @Test("After an overtaken read, what the builder returns or throws counts as outdated", arguments: Past.allCases)
    func overtaken(_ past: Past) {
        let ends =
            [(BuildState.Event.returned(isCurrent: true), BuildState.Event.returned(isCurrent: false))] + [
                (.threw(isCurrent: true), .threw(isCurrent: false))
            ]
        for (current, outdated) in ends {
            var (overtaken, other) = (past.state, past.state)
            _ = overtaken.handle(.overtaken)
            #expect(overtaken.handle(current) == other.handle(outdated))
            #expect(overtaken.phase == other.phase)
        }
    }

    @Test(
        "If something else decides now, the builder's value or error is ignored, whatever it changed",
        arguments: Past.allCases
    )
    func superseded(_ past: Past) {
        for ending in [BuildState.Event.returned(isCurrent: false), .threw(isCurrent: false)] {
            var state = past.state
            _ = state.handle(.superseded)
            #expect(state.handle(ending) == .runAgain)
            #expect(state.phase == .stale)
        }
    }

    @Test("A builder that would have to run again, but has run too often, has no value", arguments: [true, false])
    func wasRunTooOften(metItself: Bool) {
        var state = Past(metItself: metItself).state
        #expect(state.handle(.returned(isCurrent: false)) == .runAgain)
        #expect(state.handle(.wasRunTooOften) == .reportUnrest)
        #expect(state.phase == .failed)
    }

    @Test("The number of runs does not matter while the builder reads", arguments: Past.allCases)
    func wasRunOften(_ past: Past) {
        var state = past.state
        #expect(state.handle(.wasRunTooOften) == .goOn)
        #expect(state == past.state)
    }

    @Test(
        "Once a build has ended, no event changes it, except the last run of a stale one",
        arguments: 0..<3,
        Past.allCases
    )
    func over(_ ending: Int, _ past: Past) {
        var state = past.state
        _ = state.handle(Self.endings[ending])
        #expect(state.phase != .reading)
        for event in Self.events where state.phase != .stale || event != .wasRunTooOften {
            var later = state
            #expect(later.handle(event) == .goOn)
            #expect(later == state)
        }
    }

    @Test("Every phase is reached")
    func phases() {
        let reached = Past.allCases.flatMap { past in
            Self.events.map { event in
                var state = past.state
                _ = state.handle(event)
                return state.phase
            }
        }
        for phase in BuildState.Phase.allCases { #expect(reached.contains(phase)) }
    }
}
