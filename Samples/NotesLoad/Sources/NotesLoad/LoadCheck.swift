import AsyncHTTPClient
import Foundation
import NIOCore

/// The course of one check: serve, kill, serve again, stop, compare.
struct LoadCheck {
    let requests: Int
    let connections: Int
    let limit: Duration
    let executable: URL
    let folder: URL

    func run() async throws -> LoadReport {
        let clients = Client.population()
        try Client.accountsFile(clients).write(to: folder.appending(path: "accounts.json"))
        let ledger = Ledger()
        let tally = Tally()
        let course = Course(requests: requests)
        let ports = try await ServerProcess.freePorts(2)
        let server = ServerProcess(
            executable: executable,
            folder: folder,
            port: ports[0],
            announcementPort: ports[1]
        )
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Self.configuration(connections))
        let start = ContinuousClock.now
        do {
            try await withThrowingTaskGroup { group in
                group.addTask { try await AnnouncementSink(ledger: ledger, tally: tally).run(port: ports[1]) }
                group.addTask {
                    try await Task.sleep(for: limit)
                    tally.mismatch("not done within \(limit)")
                    course.enter(.over)
                    await server.send(SIGKILL)
                }
                try await server.writeSettings(0)
                try await server.start(http)
                try await withThrowingTaskGroup { workers in
                    for _ in 0..<connections {
                        workers.addTask {
                            var worker = Worker(
                                clients: clients,
                                http: http,
                                server: server.url,
                                ledger: ledger,
                                tally: tally,
                                course: course
                            )
                            try await worker.run()
                        }
                    }
                    workers.addTask { try await accident(server, course, tally, http, clients) }
                    try await workers.waitForAll()
                }
                group.cancelAll()
                // The announcements' server and the limit are no longer needed; their cancellation is no failure.
                while let result = await group.nextResult() {
                    if case .failure(let error) = result, !(error is CancellationError) { throw error }
                }
            }
        } catch {
            await server.send(SIGKILL)
            try? await http.shutdown()
            throw error
        }
        try await http.shutdown()
        let duration = start.duration(to: .now)
        let contents = ledger.current
        try StoredNotes(folder: folder, tenants: Set(clients.map(\.tenant))).compare(with: contents, tally)
        compareAnnouncements(contents, tally)
        compareChanges(contents, tally)
        return LoadReport(tally: tally, duration: duration, connections: connections)
    }

    /// Kills the server half-way and starts it again, and stops it after the last request, when it
    /// holds nothing open for those that were answered or given up.
    ///
    /// The settings change before the kill and after it.
    private func accident(
        _ server: ServerProcess,
        _ course: Course,
        _ tally: Tally,
        _ http: HTTPClient,
        _ clients: [Client]
    ) async throws {
        defer { course.enter(.over) }
        try await change(server, course, 1...10)
        await course.reach(requests / 2)
        guard course.stage != .over else { return }
        course.enter(.restarting)
        await server.send(SIGKILL)
        let signal = await server.waitForExit()
        tally.expect(signal == SIGKILL, "the server ended with \(String(describing: signal)) when it was killed")
        tally.count("kills in the middle")
        try await server.start(http)
        course.enter(.serving)
        try await change(server, course, 11...20)
        await course.reach(requests)
        guard course.stage != .over else { return }
        course.enter(.resting)
        let open = try await server.openRequests(http, expecting: 0)
        tally.expect(open == 0, "\(open) requests have a scope that is open, though nothing is being answered")
        guard course.stage != .over else { return }
        // The settings that have changed are none from which a database is built.
        let (openings, tenants) = (try await server.databaseOpenings(http), Set(clients.map(\.tenant)).count)
        tally.expect(openings == tenants, "the databases of \(tenants) tenants were opened \(openings) times")
        // A client that never finishes its request must not keep the server from stopping.
        let unfinished = try LoadRequest(unfinishedTo: "\(server.url)/notes", as: clients[0])
        async let answer = unfinished.send(with: http)
        let held = try await server.openRequests(http, expecting: 1)
        tally.expect(held == 1, "the server holds \(held) requests open, and not the one that is never finished")
        course.enter(.stopping)
        await server.send(SIGTERM)
        let status = await server.waitForExit()
        tally.expect(status == 0, "the server ended with \(String(describing: status)) when it was told to stop")
        let refusal = await answer?.status
        tally.expect(refusal == nil || refusal == 503, "what was never finished was answered with \(refusal ?? 0)")
    }

    /// Changes the settings several times, of which every fifth time fails.
    private func change(_ server: ServerProcess, _ course: Course, _ numbers: ClosedRange<Int>) async throws {
        for number in numbers {
            await course.reach(course.changes.lowerBound + (number - 1) * course.changes.count / 20)
            try await server.writeSettings(number, isBad: number % 5 == 3)
            await server.send(SIGHUP)
        }
    }

    /// The changes count, and nobody waits for them.
    private func compareChanges(_ contents: Ledger.Contents, _ tally: Tally) {
        tally.count("settings by which announcements were sent", contents.settings.count)
        tally.expect(contents.settings.contains(20), "the last settings were never used")
        let (changing, calm) = (tally.slowest("changes"), tally.slowest("none"))
        tally.expect(
            changing <= calm * 3 + .milliseconds(200),
            "a request took \(changing) while the settings changed, and \(calm) at most else"
        )
    }

    private func compareAnnouncements(_ contents: Ledger.Contents, _ tally: Tally) {
        let attempted = Set(contents.perhapsCreated.map { [$0.tenant, $0.user] })
        let created = Set(contents.created.map(Self.announcement))
        for announcement in contents.announced.subtracting(created)
        where !attempted.contains([announcement[0], announcement[2]]) {
            tally.mismatch("announced, but nobody created it: \(announcement)")
        }
        for note in contents.mustBeAnnounced where !contents.announced.contains(Self.announcement(note)) {
            tally.mismatch("never announced: \(note)")
        }
    }

    private static func announcement(_ note: Ledger.Note) -> [String] { [note.tenant, "\(note.id)", note.user] }

    private static func configuration(_ connections: Int) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(60), read: .seconds(300)),
            connectionPool: HTTPClient.Configuration.ConnectionPool(
                idleTimeout: .seconds(60),
                concurrentHTTP1ConnectionsPerHostSoftLimit: connections
            )
        )
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        return configuration
    }
}
