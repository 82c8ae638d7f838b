/// Waits for ends after a change.
extension EnvironmentScope {
    /// Waits for the ends of a discard, and for those of values that were let go of here before.
    nonisolated(nonsending) func waitForEnds(_ all: [Resource], and isConcerned: (ValueKey?) -> Bool) async {
        let left = Ending.shared.left(of: node).filter { isConcerned($0.value) }
        report(circle: await Ending.shared.wait(for: .init(resources: all + left)))
    }
}
