internal import ScopedInjection

/// Makes the requests of a server, of all kinds, and checks what each is given.
struct Worker {
    let app: EnvironmentScope
    var random: SystemRandomNumberGenerator = .init()

    private struct Refusal: Error {}

    mutating func work(requests: ClosedRange<Int>) async {
        for user in requests {
            switch Int.random(in: 0..<40, using: &random) {
            case 0: app.configuration = user
            case 1: await app.discardBuiltValues(\.pool)
            case 2...6: await fail(user)
            case 7...9: await cancel(user)
            case 10...13: await outlive(user)
            case 14...19: await nest(user)
            default: await serve(user)
            }
        }
    }

    private func serve(_ user: Int) async {
        await app.withChild("request", role: .request) {
            $0.user = user
        } operation: {
            await Self.handle(user, .current)
        }
    }

    private static func handle(_ user: Int, _ request: EnvironmentScope) async {
        let tally = Tally.shared
        tally.count(open: 1)
        request.onClose { tally.count(open: -1) }
        tally.expect(Handler().answer, 2 * user, "a page of another user")
        tally.expect(request[ScopeValues.tenant(user % 8)].owner, user % 8, "another tenant")
        // What a reload replaces meanwhile is closed, and then it is an error to await it.
        if let connection = try? await request.connection() {
            tally.expect(connection.owner > 0, true, "no connection")
        }
        await Task.yield()
        tally.expect(EnvironmentScope.current.user, user, "another user after a suspension")
    }

    private struct Handler {
        @Injected(\.page) var page
        var answer: Int { page.owner }
    }

    private func nest(_ user: Int) async {
        await app.withChild("request", role: .request) {
            $0.user = user
        } operation: {
            let request = EnvironmentScope.current
            await request.withChild("part") {
                $0[ScopeValues.tenant(8)] = Part(-user)
            } operation: {
                let part = EnvironmentScope.current
                Tally.shared.expect(part[ScopeValues.tenant(8)].owner, -user, "another override")
                await Self.handle(user, part)
            }
            await Self.handle(user, request)
        }
    }

    private func fail(_ user: Int) async {
        do {
            try await app.withChild("request", role: .request) {
                $0.user = user
            } operation: {
                await Self.handle(user, .current)
                throw Refusal()
            }
            Tally.shared.complain("an error is lost")
        } catch {}
    }

    private func cancel(_ user: Int) async {
        let task = Task { await serve(user) }
        task.cancel()
        await task.value
    }

    /// A task that goes on when its request has ended, and is awaited for the sake of the count.
    private func outlive(_ user: Int) async {
        let late = await app.withChild("request", role: .request) {
            $0.user = user
        } operation: {
            await Self.handle(user, .current)
            return Task {
                await Task.yield()
                Tally.shared.expect(EnvironmentScope.current.stamp.owner, user, "another user in a late task")
            }
        }
        await late.value
    }
}
