import ScopedInjection
import Testing

@Suite("R18: what others do while an update builds", .programRoots, .timeLimit(.minutes(10)))
struct UpdateMeanwhileTests {
    private let app: EnvironmentScope
    private let log: Log

    init() { (app, log) = makeUpdatedApp() }

    @Test("A read is given what was there, at once, and sees all of the changes or none")
    func reads() throws {
        let old = app.storage
        app.hook.meanwhile { [app] in
            elsewhere {
                #expect(app.storage === old && app.quota == 10 && app.file == "a")
                #expect(EnvironmentScope("request", parent: app) { _ in }.storage === old)
            }
        }
        try app.update {
            $0.quota = 7
            $0.file = "b"
        }
        #expect(app.storage.text == "7b")
    }

    @Test("A build that is under way is thrown away, and its read is given what the update has built")
    func buildUnderWay() throws {
        // Of a builder that has never run, nobody knows that its value will be kept by the update, which waits for the build then.
        _ = makeUpdatedApp().0.storage
        let (started, mayEnd, found) = (Gate(), Gate(), Box<String?>(nil))
        app.hook.meanwhile {
            started.open()
            mayEnd.wait()
        }
        let reader = onThread { [app] in found.value = app.storage.text }
        started.wait()
        try app.update {
            $0.quota = 8
            _ = $0.storage
        }
        mayEnd.open()
        reader.wait()
        #expect(found.value == "8a" && app.storage.text == "8a")
        #expect(log.lines.filter { $0 == "open 8a" }.count == 1)
    }

    @Test("Where another input is set meanwhile, the value is built again, and the closure is not called again")
    func inputIsSet() async throws {
        _ = app.storage
        app.hook.meanwhile { [app] in app.file = "b" }
        var calls = 0
        try app.update {
            calls += 1
            $0.quota = 4
        }
        #expect(calls == 1 && app.localValue(for: \.storage)?.text == "4b")
        await app.close()
        #expect(log.lines.sorted() == ["close 10a", "close 4a", "close 4b", "open 10a", "open 4a", "open 4b"])
    }

    @Test(
        "Where what it changes is set, removed or updated meanwhile, the closure is called again, and nothing is lost"
    )
    func sameIsSet() throws {
        let changes: [@Sendable (EnvironmentScope) -> Void] = [
            { $0.quota = 20 },
            { $0.removeValue(for: \.quota) },
            { scope in try? scope.update { $0.quota = 20 } },
            { $0.provide(\.quota) { _ in 20 } },
        ]
        let root = EnvironmentScope("root", parent: nil) { $0.quota = 30 }
        for (index, change) in changes.enumerated() {
            let app = EnvironmentScope("app", parent: root) { $0.quota = 15 }
            var calls = 0
            try app.update {
                calls += 1
                $0.quota += 1
                if calls == 1 { elsewhere { change(app) } }
            }
            #expect(calls == 2 && app.quota == (index == 1 ? 31 : 21), "change \(index)")
        }
    }

    @Test("A discard meanwhile is no change: what is discarded is built by the next read")
    func discard() async {
        _ = app.storage
        let calls = Box(0)
        // On a thread of its own, because it waits for a task.
        let update = onThread { [app] in
            try? app.update {
                calls.update { $0 += 1 }
                $0.quota = 3
                let done = Gate()
                Task.detached {
                    await app.discardBuiltValues(\.storage)
                    done.open()
                }
                done.wait()
            }
        }
        await update.passed()
        #expect(calls.value == 1 && app.localValue(for: \.storage) == nil && app.quota == 3)
    }

    @Test("What an earlier call has registered is dropped, and what was built from its changes is cleaned up")
    func dropped() async throws {
        _ = app.storage
        var calls = 0
        app.hook.meanwhile { [app] in app.quota = 20 }
        try app.update { scope in
            calls += 1
            let call = calls
            scope.quota += 1
            scope.onClose { [log] in log.add("own \(call)") }
            scope.observe { [log] _ in log.add("observed \(call)") }
        }
        for end in ["close 10a", "close 11a"] { await log.wait(for: end) }
        // What has changed meanwhile has ended before the first call has built its own.
        let ended = log.take().filter { !$0.hasPrefix("observed") }
        #expect(ended.sorted() == ["close 10a", "close 11a", "open 10a", "open 11a"])
        #expect(app.storage.text == "21a")
        #expect(log.take() == ["open 21a", "observed 2"])
        await app.close()
        #expect(log.lines.filter { !$0.hasPrefix("observed") } == ["close 21a", "own 2"])
    }

    @Test(
        "After four calls, each of which has built something, it is the error that others have changed the same values"
    )
    func givesUp() throws {
        _ = app.storage
        var calls = 0
        let error = #expect(throws: ScopeError.self) {
            try app.update { scope in
                calls += 1
                scope.quota = 50 + calls
                _ = scope.storage
                elsewhere { [app, calls] in app.quota = calls }
            }
        }
        #expect(calls == 4 && app.quota == 4)
        #expect(
            error?.description == """
                What an update of "app" changes was changed by others each time.
                  To fix it: let one task change these values.
                """
        )
    }

    @Test("Where nothing was built, the closure is called as often as it takes")
    func noLimit() throws {
        var calls = 0
        try app.update { scope in
            calls += 1
            scope.quota = 50
            if calls < 20 { elsewhere { [app, calls] in app.quota = calls } }
        }
        #expect(calls == 20 && app.quota == 50)
    }

    @Test("What the scope keeps for the first time meanwhile is built first, too")
    func keptMeanwhile() throws {
        _ = app.storage
        app.hook.meanwhile { [app] in elsewhere { _ = (app.onFile, app.certificate) } }
        try app.update {
            $0.quota = 3
            $0.file = "b"
        }
        #expect(app.localValue(for: \.onFile)?.text == "b")
        #expect(log.lines.count { $0 == "on file" } == 2 && log.lines.count { $0 == "read certificate" } == 1)
    }

    @Test("A set never waits for an update")
    func setDoesNotWait() throws {
        let (started, mayEnd) = (Gate(), Gate())
        _ = app.storage
        let update = onThread { [app] in
            try? app.update {
                $0.quota = 3
                started.open()
                mayEnd.wait()
            }
        }
        started.wait()
        app.file = "b"
        app.main = 5
        #expect(app.storage.text == "10b" && app.main == 5)
        mayEnd.open()
        update.wait()
        #expect(app.localValue(for: \.storage)?.text == "3b")
    }

    @Test("Two threads lose none of what each adds")
    func adding() async {
        let failures = Box(0)
        await onThreads(3) { [app] _ in
            for _ in 0..<300 {
                do { try app.update { $0.quota += 1 } } catch { failures.update { $0 += 1 } }
            }
        }
        #expect(app.quota == 910 && failures.value == 0)
    }

    @Test("In a closed scope an update is made, unless what was built has a cleanup")
    func closed() async throws {
        _ = app.storage
        await app.close()
        _ = log.take()
        let error = #expect(throws: ScopeError.self) {
            try app.update {
                $0.file = "late"
                _ = $0.storage
            }
        }
        #expect(error?.code == .closed && app.file == "a")
        #expect(log.take() == ["open 10late", "close 10late"])
        #expect(
            error?.description == """
                The value for an update cannot be built: "app" is closed, and it has a cleanup.
                  To fix it: update a scope before it is closed.
                """
        )
        try app.update {
            $0.file = "plain"
            _ = $0.onFile
        }
        #expect(app.localValue(for: \.onFile)?.text == "plain")
    }

    @Test("Once the ends of the scope have begun, an update builds nothing that has one")
    func closing() async throws {
        _ = app.storage
        let (begun, mayEnd) = (Barrier(), Barrier())
        app.onClose { [log] in
            begun.open()
            await mayEnd.pass()
            log.add("slow")
        }
        let closing = Task { [app] in await app.close() }
        await begun.pass()
        try app.update { $0.file = "late" }
        mayEnd.open()
        await closing.value
        #expect(log.lines.first == "open 10a" && log.lines.dropFirst().sorted() == ["close 10a", "slow"])
        #expect(app.isClosed && app.file == "late")
    }

    @Test("An update in a builder, of a scope that it captures, is made")
    func inBuilder() throws {
        _ = app.storage
        let other = EnvironmentScope("other", parent: nil) { [app] in
            $0.provide(\.onFile) { _ in
                try app.update { $0.quota = 12 }
                return Product("\(app.quota)")
            }
        }
        #expect(other.onFile.text == "12" && app.localValue(for: \.storage)?.size == 12)
    }

    @Test("A task that a builder has started reads in the scope that was updated, once the value is built")
    func task() async throws {
        let found = Box<[String]>([])
        let both = (0..<2).map { _ in Barrier() }
        app.provide(\.listener) { reader in
            let (file, number) = (try reader.file, found.value.count)
            Task {
                found.update { $0.append(Reads().file + file) }
                both[number].open()
            }
            return Product(file)
        }
        _ = app.listener
        await both[0].pass()
        try app.update { $0.file = "b" }
        await both[1].pass()
        #expect(found.value == ["aa", "bb"])
    }
}

private struct Reads { @Injected(\.file) var file }
