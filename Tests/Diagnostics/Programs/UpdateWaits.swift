import ScopedInjection

func use(_ app: EnvironmentScope) async throws {
    // error: 'update' is unavailable: a change that waits is a reload
    try await app.update { $0.databasePath = try await path() }
    try app.update { $0.databasePath = "b.db" }
    try await app.reload { $0.databasePath = try await path() }
}

func path() async throws -> String { "b.db" }
