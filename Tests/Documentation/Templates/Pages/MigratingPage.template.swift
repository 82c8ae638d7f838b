import ScopedInjection

/// A place of its own, because other pages have the same value.
private enum MigratingPage {
    // ⟨Migrating.md: static var database⟩
}
