import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Deferred<Pool>> {
        .lazy { reader in
            // error: passing closure as a 'sending' parameter risks causing data races between code in the current task and concurrent execution of the closure [#SendingClosureRisksDataRace]
            Task { print(try reader.databasePath) }
            return Deferred { Pool() }
        }
    }
}
