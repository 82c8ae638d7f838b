#if DEBUG
    import ScopedInjection
    import Testing

    extension ScopeValues {
        fileprivate static let address = ScopeValue { scope in Product("\(scope.host):\(scope.port)") }
        fileprivate static let visitor = ScopeValue<String?>()
        fileprivate static let greeting = ScopeValue<@Sendable () -> String> { scope in
            let host = scope.host
            return { "\(host) greets \(scope.visitor ?? "nobody")" }
        }
        fileprivate static let front: ScopeValue<String> = ScopeValue { scope in
            _ = scope.back
            return "front of \(scope.host)"
        }
        fileprivate static let back = ScopeValue<@Sendable () -> Result<String, any Error>> { scope in
            _ = scope.host
            return { Result { try scope.value(for: \.front) } }
        }
    }

    @Suite("R5, R11: changes at moments that no user code reaches")
    struct PauseTests {
        private let app = EnvironmentScope("app", parent: nil) { $0.host = "app" }
        private let request: EnvironmentScope

        init() { request = EnvironmentScope("request", parent: app) { $0.port = 1 } }

        // In a process of its own, because any change of a shared scope makes the value be looked at once more.
        @Test("A value that is right again before it is let go of stays")
        func rightAgain() async {
            await #expect(processExitsWith: .success) {
                let app = EnvironmentScope("app", parent: nil) { $0.host = "app" }
                let request = EnvironmentScope("request", parent: app) { $0.port = 1 }
                let first = request.address
                request.host = "request"
                let again = Box<Product?>(nil)
                let change = once {
                    request.removeValue(for: HostKey.self)
                    again.value = request.address
                }
                Pause.$beforeRemoval.withValue(change) { #expect(request.address === first) }
                #expect(again.value === first)
                #expect(request.address === first)
            }
        }

        @Test("A value that has replaced the one to be let go of stays, though something else has changed since")
        func replaced() {
            let first = request.address
            request.port = 2
            let second = Box<Product?>(nil)
            let change = once { [app, request] in
                second.value = request.address
                app.token = Token(text: "else")
            }
            Pause.$beforeRemoval.withValue(change) { #expect(request.address !== first) }
            #expect(request.address === second.value)
        }

        @Test("A writer waits for a thread that begins to read a scope which no other thread has read")
        func firstReader() {
            let scope = EnvironmentScope("scope", parent: nil) { $0.port = 1 }
            // Many, because some may have the line of this thread.
            let read = once {
                let readers = (0..<8).map { _ in onThread { #expect(scope.port == 1) } }
                for reader in readers { reader.wait() }
            }
            Pause.$beforeWriting.withValue(read) { scope.host = "scope" }
            #expect(scope.host == "scope")
        }

        @Test(
            "A value that another thread was given reads in the scope that keeps it, though its build is not over yet"
        )
        func lateRead() {
            request.visitor = "the visitor of the request"
            let text = Box<String?>(nil)
            let read = once { [app] in
                onThread { text.value = app.localValue(for: \.greeting)?() }.wait()
            }
            Pause.$afterPlacing.withValue(read) { _ = request.greeting }
            #expect(text.value == "app greets nobody")
        }

        @Test("What such a value reads then is nothing that it needs to be built", arguments: [true, false])
        func lateNeed(isAskedBelow: Bool) throws {
            let result = Box<Result<String, any Error>?>(nil)
            let end = Box<Gate?>(nil)
            let read = once { [app] in
                // The front is being built by the thread that waits here.
                let isDecided = Gate()
                end.value = onThread {
                    Pause.$beforeWaiting.withValue({ isDecided.open() }) {
                        result.value = app.localValue(for: \.back)?()
                    }
                    isDecided.open()
                }
                isDecided.wait()
            }
            let asking = isAskedBelow ? request : app
            Pause.$afterPlacing.withValue(read) { #expect(asking.front == "front of app") }
            end.value?.wait()
            #expect(try result.value?.get() == "front of app")
        }

        @Test("A cleanup that is registered while its scope begins to close runs")
        func cleanup() async {
            let scope = EnvironmentScope.empty("scope", parent: nil)
            let log = Log()
            let register = once { scope.onClose { log.add("closed") } }
            await Pause.$beforeWriting.withValue(register) { await scope.close() }
            #expect(log.lines == ["closed"])
        }

        @Test("A run that has not begun when its deferred value goes does not begin")
        func goneDeferred() async throws {
            final class Marker: Sendable {}
            let (isAbout, mayGoOn, isMade) = (Barrier(), Gate(), Box(false))
            let reader: Task<Int?, any Error>
            weak let alive: Marker?
            do {
                let marker = Marker()
                alive = marker
                let deferred = Deferred { () async throws -> Int in
                    withExtendedLifetime(marker) { isMade.value = true }
                    return 1
                }
                reader = Task {
                    let wait: @Sendable () -> Void = {
                        isAbout.open()
                        mayGoOn.wait()
                    }
                    return try await Pause.$beforeMaking.withValue(wait) { try await deferred() }
                }
            }
            await isAbout.pass()
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
            mayGoOn.open()
            for _ in 0..<1_000_000 where alive != nil { await Task.yield() }
            #expect(alive == nil)
            #expect(!isMade.value)
        }
    }
#endif
