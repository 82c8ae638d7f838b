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
    /// has begun stays.
    package func retrying<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            await discardBuiltValues(\.transaction)
            return try await work()
        }
    }
}
