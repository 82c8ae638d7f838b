import GRDB
package import ScopedInjection

extension EnvironmentScope {
    /// Commits what was written in the request of which this is the scope, if anything was.
    package func commitTransaction() async throws {
        try await localValue(for: \.transaction)?.commit()
    }

    /// Does the work of the request of which this is the scope; where somebody else holds the database, once more.
    ///
    /// What was written is rolled back before the second try, which has another transaction. All else that the request
    /// has begun stays. A child of the request's scope keeps no transaction, so it is no place for this.
    ///
    /// SQLite tells of the conflict when the transaction begins. Where a database tells at the commit, the work ends with
    /// ``commitTransaction()``, and the commit that comes later does nothing.
    package func retrying<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            await discardBuiltValues(\.transaction)
            return try await work()
        }
    }
}
