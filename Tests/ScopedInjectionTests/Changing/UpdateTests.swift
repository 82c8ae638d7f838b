import ScopedInjection
import Testing

@Suite("R18: an update is built before it is made", .programRoots, .timeLimit(.minutes(10)))
struct UpdateTests {
    private let (app, log): (EnvironmentScope, Log)

    init() { (app, log) = makeLoggedApp() }

    // MARK: What is built first

    @Test("What the scope keeps and would not be given with the changes is built first, and the old one closed after")
    func builtFirst() async throws {
        let (old, user) = (app.storage, app.storageUser)
        try app.update {
            $0.quota = 20
            $0.file = "b"
        }
        await log.wait(for: "close 10a")
        #expect(log.take() == ["open 10a", "open 20b", "close 10a"])
        #expect(app.localValue(for: \.storage)?.text == "20b")
        #expect(app.localValue(for: \.storageUser)?.text == "on 20b")
        #expect(app.storage !== old && app.storageUser !== user)
        await app.close()
        #expect(log.lines == ["close 20b"])
    }

    @Test("What does not depend on the changes stays the same instance, and nothing else is built")
    func untouched() throws {
        let onFile = app.onFile
        app.provide(\.labelled) { _ in throw TooMany() }
        try app.update { $0.quota = 20 }
        #expect(app.onFile === onFile && app.localValue(for: \.storage) == nil)
        #expect(log.lines == ["on file"])
    }

    @Test("What the closure reads is built, and kept where it belongs") func reading() async throws {
        try app.update {
            $0.quota = 5
            _ = ($0.storage, $0.onFile)
        }
        #expect(log.take() == ["open 5a", "on file"])
        #expect(app.localValue(for: \.storage)?.size == 5 && app.localValue(for: \.onFile) != nil)
        try app.update { _ = $0.storage }
        #expect(log.lines == [])
        await app.close()
        #expect(log.lines == ["close 5a"])
    }

    @Test("What is named for it is built anew though no input has changed, with what was built from it")
    func rebuilding() throws {
        let child = EnvironmentScope("request", parent: app) { $0.file = "child" }
        let (certificate, listener) = (app.certificate, child.listener)
        _ = log.take()
        try app.update(rebuilding: \.certificate) { _ in }
        #expect(log.take() == ["read certificate", "listen"])
        #expect(app.certificate !== certificate && app.listener !== listener)
        #expect(child.listener === app.listener)
        #expect(app.explain(\.certificate).line.contains(": its own default "))
        #expect(log.lines == [])
    }

    @Test("What its closure has read by way of what is built anew is built anew, too") func rebuildingRead() throws {
        _ = (app.listener, app.storageUser)
        try app.update(rebuilding: \.certificate) {
            $0.provide(\.storageUser) { Product("by \(try $0.listener.text)") }
            _ = $0.storageUser
        }
        #expect(app.localValue(for: \.storageUser)?.text == "by certificate")
    }

    @Test("What is built anew under a decoration or a provider of the scope has these")
    func rebuildingProvided() throws {
        let (app, log) = makeLoggedApp {
            $0.decorate(\.certificate) { inherited, _ in Product("signed \(inherited.text)") }
            $0.provide(\.onFile) { try Product("provided \($0.quota)") }
        }
        let (certificate, onFile) = (app.certificate, app.onFile)
        _ = log.take()
        try app.update(rebuilding: \.certificate, \.onFile) { $0.quota = 3 }
        #expect(app.localValue(for: \.certificate)?.text == "signed certificate")
        #expect(app.localValue(for: \.onFile)?.text == "provided 3")
        #expect(app.certificate !== certificate && app.onFile !== onFile)
        #expect(log.lines == ["read certificate"])
    }

    @Test("Values in a long chain are all built first, and the old ones are closed, the last one first")
    func chain() async throws {
        let row = (0..<30).reduce(into: [ScopeValue<Int>]()) { row, number in
            let before = row.last
            row.append(
                .lazy(id: "UpdateTests.chain \(number)") { reader in
                    let value = try (before.map { try reader[$0] } ?? reader.quota)
                    let log = try reader.log
                    log.add("open")
                    reader.onClose { log.add("close \(number) of \(value)") }
                    return value
                }
            )
        }
        #expect(app[row[29]] == 10)
        _ = log.take()
        try app.update { $0.quota = 20 }
        await log.wait(for: "close 0 of 10")
        #expect(log.lines.prefix(30) == Array(repeating: "open", count: 30)[...])
        #expect(log.take().dropFirst(30) == (0..<30).reversed().map { "close \($0) of 10" }[...])
        #expect(row.allSatisfy { value in app.localValue(for: { _ in value }) == 20 })
        await app.close()
        #expect(log.lines == (0..<30).reversed().map { "close \($0) of 20" })
    }

    // MARK: What fails

    @Test("Where something fails, the error names it, what was built is cleaned up, and nothing has changed")
    func refused() async throws {
        let (app, log) = makeLoggedApp {
            $0.provide(\.labelled) { reader in
                if try reader.quota == 66 { throw TooMany() }
                return Product("\(try reader.storage.text)")
            }
        }
        let (storage, labelled) = (app.storage, app.labelled)
        _ = log.take()
        let error = #expect(throws: ScopeError.self) {
            try app.update {
                $0.quota = 66
                $0.file = "x"
                $0.onClose { log.add("own") }
            }
        }
        #expect(error?.name == "labelled" && error?.underlyingError is TooMany && error?.searchedScopes == ["app"])
        #expect(log.take() == ["open 66x", "close 66x", "own"])
        #expect(app.storage === storage && app.labelled === labelled && app.quota == 10 && app.file == "a")
        await app.close()
        #expect(log.lines == ["close 10a"])
    }

    @Test("A failing value is named once, and what was built from it is not tried") func failingOnce() throws {
        _ = app.storageUser
        let error = #expect(throws: ScopeError.self) { try app.update { $0.quota = 200 } }
        #expect(error?.name == "storage" && error?.failures.isEmpty == true)
        app.token = Token(text: "t")
        _ = app.tokenUser
        let both = #expect(throws: ScopeError.self) {
            try app.update {
                $0.quota = 200
                $0.provide(\.token) { _ in throw CancellationError() }
            }
        }
        #expect(both?.failures.map { $0.name ?? "" }.sorted() == ["storage", "token"])
    }

    @Test("The closure's own error passes unchanged") func ownError() async throws {
        #expect(throws: TooMany.self) {
            try app.update {
                $0.quota = 1
                throw TooMany()
            }
        }
        #expect(app.quota == 10)
    }

    // MARK: The closure

    @Test("In the closure its scope is current, and is given what the changes say") func current() throws {
        try app.update { scope in
            scope.quota = 3
            #expect(EnvironmentScope.current === scope && scope !== app)
            #expect(scope.parent === app && scope.name == "app")
            #expect(scope.description == #"EnvironmentScope("app")"#)
            #expect(scope.storage.text == "3a" && scope.quota == 3 && app.quota == 10)
            #expect(EnvironmentScope("inner") { _ in }.quota == 3)
        }
        #expect(app.localValue(for: \.storage)?.size == 3)
    }

    @Test("A cleanup and an observer of the closure are the scope's") func registered() async throws {
        try app.update { scope in
            scope.quota = 3
            scope.onClose { log.add("own") }
            scope.observe { [log] in log.add("\($0.kind)") }
            _ = scope.storage
        }
        _ = log.take()
        _ = app.onFile
        #expect(log.take() == ["on file", "built"])
        await app.close()
        #expect(log.lines.filter { $0 != "discarded" } == ["close 3a", "cleanedUp", "own", "cleanedUp"])
    }

    @Test("A scope made in the closure lies below the changed one, updated or not", arguments: [true, false])
    func madeBelow(isMade: Bool) async throws {
        let made = Box<EnvironmentScope?>(nil)
        try? app.update {
            $0.quota = 3
            made.value = EnvironmentScope("worker") { $0.file = "worker" }
            #expect(made.value?.storage.text == "3worker")
            if !isMade { throw TooMany() }
        }
        let worker = try #require(made.value)
        #expect(worker.parent === app && app.quota == (isMade ? 3 : 10))
        #expect(worker.storage.text == "\(app.quota)worker")
        app.quota = 7
        #expect(worker { worker.storage.text } == "7worker")
        #expect(throws: ScopeError.self) { try worker.value(for: \.token) }
        await app.close()
        #expect(worker.isClosed)
    }

    @Test("The closure's scope is an empty child afterwards") func afterwards() throws {
        let kept = Box<EnvironmentScope?>(nil)
        try app.update {
            kept.value = $0
            $0.file = "q"
        }
        #expect(kept.value?.file == "q")
        app.file = "r"
        #expect(kept.value?.file == "r" && kept.value?.localValue(for: \.file) == nil)
    }

    @Test("Observers are told of what is built, in the scope's own name, and of the update before what it lets go of")
    func events() throws {
        _ = app.onFile
        app.observe { [log] event in log.add("\(event.kind) \(event.name ?? "") \(event.scope ?? "") \(event.names)") }
        _ = log.take()
        try app.update {
            $0.file = "e"
            $0.quota = 4
        }
        let told = ["built onFile app []", #"updated  app ["file", "quota"]"#, "discarded onFile app []"]
        #expect(log.lines == ["on file"] + told)
        #expect(app.explain(\.onFile).keptIn == "app")
    }

    @Test("What an update that fails had built is let go of because of that") func eventsOfFailure() {
        _ = (app.storage, app.onFile)
        app.observe { [log] in if $0.kind == .discarded { log.add("\($0)") } }
        _ = log.take()
        #expect(throws: ScopeError.self) {
            try app.update {
                $0.file = "e"
                _ = $0.onFile
                $0.quota = 200
            }
        }
        let reason = "the update for which it was built is not made"
        #expect(log.lines == ["on file", #"let go of onFile (Product) in "app", because \#(reason)"#])
    }
}
