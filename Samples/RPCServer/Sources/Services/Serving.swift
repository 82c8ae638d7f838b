import GRPCCore

extension GRPCServer {
    /// Serves until `stop` returns; then takes no more calls, lets those under way end, and cancels what takes longer than a limit.
    package func serve(until stop: @escaping @Sendable () async -> Void, endingWithin limit: Duration) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.serve() }
            group.addTask {
                await stop()
                self.beginGracefulShutdown()
                try await Task.sleep(for: limit)
            }
            // Either the server has ended, or its time is up. The other one is cancelled, and with it the calls.
            try await group.next()
            group.cancelAll()
        }
    }
}
