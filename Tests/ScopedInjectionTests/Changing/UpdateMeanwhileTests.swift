import ScopedInjection
import Testing

@Suite("R18: what others do while an update builds", .programRoots, .timeLimit(.minutes(10)))
struct UpdateMeanwhileTests {
    private let (app, log): (EnvironmentScope, Log)

    init() { (app, log) = makeLoggedApp() }

    @Test("A read is given what was there, at once, and sees all of the changes or none") func reads() throws {
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
        _ = makeLoggedApp().0.storage
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

    private func expectConflict(over value: String, _ update: () throws -> Void) {
        let error = #expect(throws: ScopeError.self, performing: update)
        #expect(error?.code == .invalid)
        let text = """
            An update of "app" is not made, because others have changed \(value) meanwhile.
              To fix it: call it again, or let one task change these values.
            """
        #expect(error?.description == text)
    }

    @Test("Where what it has read to build is set after that, it is refused, and nothing has changed")
    func inputIsSet() async throws {
        _ = app.storage
        var calls = 0
        expectConflict(over: "file") {
            try app.update {
                calls += 1
                $0.quota = 4
                _ = $0.storage
                elsewhere { [app] in app.file = "b" }
            }
        }
        #expect(calls == 1 && app.quota == 10 && app.storage.text == "10b")
        await app.close()
        #expect(log.lines.sorted() == ["close 10a", "close 10b", "close 4a", "open 10a", "open 10b", "open 4a"])
    }

    @Test("Where it is set while it builds, the value is built again, and the closure is not called again")
    func inputIsSetWhileBuilding() throws {
        _ = app.storage
        app.hook.meanwhile { [app] in app.file = "b" }
        var calls = 0
        try app.update {
            calls += 1
            $0.quota = 4
        }
        #expect(calls == 1 && app.localValue(for: \.storage)?.text == "4b")
    }

    @Test("Where what it changes is changed meanwhile in any way, it is refused, and nothing is lost", arguments: 0..<5)
    func sameIsSet(index: Int) throws {
        let changes: [@Sendable (EnvironmentScope) -> Void] = [
            { $0.quota = 20 },
            { $0.removeValue(for: \.quota) },
            { scope in try? scope.update { $0.quota = 20 } },
            { $0.provide(\.quota) { _ in 20 } },
            { $0.quota = 15 },
        ]
        let app = EnvironmentScope("app", parent: nil) { $0.quota = 15 }
        let change = changes[index]
        expectConflict(over: "quota") {
            try app.update {
                $0.quota += 1
                elsewhere { change(app) }
            }
        }
        #expect(app.quota == [20, 10, 20, 20, 15][index])
        expectConflict(over: "quota") {
            try app.update {
                $0.quota = app.quota
                elsewhere { app.quota = 31 }
            }
        }
        #expect(app.quota == 31)
    }

    @Test("A discard meanwhile is no change: what is discarded is built by the next read") func discard() async {
        _ = app.storage
        let calls = Box(0)
        // On a thread of its own, because it waits for a task.
        let update = onThread { [app] in
            try? app.update {
                calls.update { $0 += 1 }
                $0.quota = 3
                waitFor { await app.discardBuiltValues(\.storage) }
            }
        }
        await update.passed()
        #expect(calls.value == 1 && app.localValue(for: \.storage) == nil && app.quota == 3)
    }

    @Test("A set never waits for an update") func setDoesNotWait() throws {
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

    @Test("Two threads that ask again lose none of what each adds") func adding() async {
        await onThreads(3) { [app] _ in
            for _ in 0..<300 { while (try? app.update { $0.quota += 1 }) == nil {} }
        }
        #expect(app.quota == 910)
    }

    @Test("In a closed scope an update is made, unless what was built has a cleanup") func closed() async throws {
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
        let text = """
            The value for an update cannot be built: "app" is closed, and it has a cleanup.
              To fix it: update a scope before it is closed.
            """
        #expect(error?.description == text)
        try app.update {
            $0.file = "plain"
            _ = $0.onFile
        }
        #expect(app.localValue(for: \.onFile)?.text == "plain")
    }

    @Test("Once the ends of the scope have begun, an update builds nothing that has one") func closing() async throws {
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

    @Test("An update in a builder, of a scope that it captures, is made") func inBuilder() throws {
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
