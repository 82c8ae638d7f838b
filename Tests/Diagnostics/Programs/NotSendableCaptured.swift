import ScopedInjection

func use(_ scope: EnvironmentScope) {
    let draft = Draft()
    // error: capture of 'draft' with non-Sendable type 'Draft' in a '@Sendable' closure [#SendableClosureCaptures]
    scope.provide(\.databasePath) { _ in draft.text }
}
