package import ScopedInjection

/// The work on the database that is committed or rolled back as one.
///
/// Each request and each job provides one in its own scope (see ``EnvironmentScope/provideTransaction()``), so that a
/// scope nested in it does not get another.
package enum TransactionKey: ScopeKey {
    package typealias Value = Transaction
}

extension EnvironmentScope {
    /// The work on the database that is committed or rolled back as one.
    package var transaction: Transaction {
        get { self[TransactionKey.self] }
        set { self[TransactionKey.self] = newValue }
    }
}
