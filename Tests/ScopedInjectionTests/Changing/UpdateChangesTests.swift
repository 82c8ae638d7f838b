import ScopedInjection
import Testing

@Suite(
    "R18: in the closure of an update, each change means what it means in the scope",
    .programRoots,
    .timeLimit(.minutes(10))
)
struct UpdateChangesTests {
    private let app: EnvironmentScope
    private let log: Log

    init() { (app, log) = makeUpdatedApp() }

    @Test("A set value goes on from what the scope has")
    func set() throws {
        try app.update { $0.quota += 1 }
        try app.update { $0.quota += 1 }
        #expect(app.quota == 12)
    }

    @Test("Setting nil, or what is the same, is setting")
    func setNil() throws {
        app.user = User(name: "a")
        try app.update { $0.user = nil }
        #expect(app.user == nil && app.explain(\.user).line == "user (User?): set in \"app\"")
    }

    @Test("A decoration goes over what the scope has set or provides, or over its decorations")
    func decorate() throws {
        app.labels = ["app"]
        app.decorate(\.labels) { inherited, _ in inherited + ["one"] }
        #expect(app.labelled.text == "app,one")
        try app.update {
            $0.decorate(\.labels) { inherited, _ in inherited + ["two"] }
            $0.decorate(\.labels) { inherited, _ in inherited + ["three"] }
            #expect($0.labelled.text == "app,one,two,three" && app.labels == ["app", "one"])
        }
        #expect(app.localValue(for: \.labelled)?.text == "app,one,two,three")
        #expect(app.explain(\.labels).line.matches(of: /UpdateChangesTests.swift:/).count == 3)
    }

    @Test("A decoration of what lies beyond the scope goes over that, once")
    func decorateBeyond() throws {
        let request = EnvironmentScope("request", parent: app) { _ in }
        try request.update { $0.decorate(\.labels) { inherited, _ in inherited + ["one"] } }
        try request.update {
            $0.decorate(\.labels) { inherited, _ in inherited + ["two"] }
            #expect($0.labels == ["base", "one", "two"])
        }
        #expect(request.labels == ["base", "one", "two"] && app.labels == ["base"])
        app.labels = ["app"]
        #expect(request.labels == ["app", "one", "two"])
    }

    @Test("What is read beyond a decoration of the scope, in an update of something else, is what lies further out")
    func readBeyond() throws {
        let request = EnvironmentScope("request", parent: app) {
            $0.decorate(\.labels) { inherited, reader in inherited + ["\(try reader.quota)"] }
        }
        #expect(request.labelled.text == "base,10")
        try request.update { $0.quota = 3 }
        #expect(request.localValue(for: \.labelled)?.text == "base,3")
    }

    @Test("A provider leaves the scope's decorations over it")
    func provide() throws {
        app.decorate(\.labels) { inherited, _ in inherited + ["one"] }
        _ = app.labelled
        try app.update { $0.provide(\.labels) { _ in ["provided"] } }
        #expect(app.localValue(for: \.labelled)?.text == "provided,one")
        #expect(app.explain(\.labels).line.contains(": decorated in \"app\""))
    }

    @Test("A removal gives what lies beyond the scope: its default, where the scope is a root")
    func remove() throws {
        app.labels = ["app"]
        let before = app.labelled
        try app.update {
            #expect($0.removeValue(for: \.labels) == ["app"])
            #expect($0.labelled.text == "base")
            // Kept by the update's scope, and not here before the step.
            #expect(app.labelled === before)
        }
        #expect(app.localValue(for: \.labelled)?.text == "base")
        #expect(app.labels == ["base"] && app.explain(\.labels).line.contains(": its own default "))
    }

    @Test("What a removal gives is kept further out at once, where it belongs, and is shared")
    func removeInChild() async throws {
        let request = EnvironmentScope("request", parent: app) { $0.quota = 1 }
        _ = request.storageUser
        try request.update { $0.removeValue(for: \.quota) }
        await log.wait(for: "close 1a")
        #expect(log.take() == ["open 1a", "open 10a", "close 1a"])
        #expect(app.localValue(for: \.storage)?.text == "10a")
        #expect(request.storage === app.storage && request.localValue(for: \.storage) == nil)
        request.quota = 2
        _ = request.storageUser
        _ = log.take()
        try request.update { $0.removeValue(for: \.quota) }
        await log.wait(for: "close 2a")
        #expect(log.lines == ["close 2a"])
    }

    @Test("What also depends on another decision of the scope stays there")
    func removeOneOfTwo() async throws {
        let request = EnvironmentScope("request", parent: app) {
            $0.quota = 1
            $0.file = "r"
        }
        let old = request.storage
        try request.update {
            $0.removeValue(for: \.quota)
            #expect($0.storage.text == "10r" && request.storage === old)
        }
        #expect(request.localValue(for: \.storage)?.text == "10r" && app.localValue(for: \.storage) == nil)
        await log.wait(for: "close 1r")
        await request.close()
        #expect(log.lines == ["open 1r", "open 10r", "close 1r", "close 10r"])
    }

    @Test("A removal of what the scope only keeps has it built anew")
    func removeKept() throws {
        let (certificate, listener) = (app.certificate, app.listener)
        try app.update { #expect($0.removeValue(for: \.certificate) === certificate) }
        #expect(app.localValue(for: \.certificate) !== certificate && app.localValue(for: \.listener) !== listener)
        #expect(log.lines == ["read certificate", "listen", "read certificate", "listen"])
    }

    @Test("A removed provider is not asked any more, and what it has built is not given")
    func removeProvider() throws {
        app.provide(\.onFile) { _ in Product("provided") }
        #expect(app.onFile.text == "provided")
        try app.update {
            $0.removeValue(for: \.onFile)
            #expect($0.onFile.text == "a")
        }
        #expect(app.localValue(for: \.onFile)?.text == "a")
        let request = EnvironmentScope("request", parent: app) { $0.provide(\.onFile) { _ in Product("provided") } }
        #expect(request.onFile.text == "provided")
        try request.update {
            $0.removeValue(for: \.onFile)
            #expect($0.onFile === app.onFile)
        }
        #expect(request.onFile === app.onFile)
    }

    @Test("What is set and removed in one update was never there")
    func setAndRemove() throws {
        app.quota = 5
        try app.update {
            $0.quota = 6
            _ = $0.storage
            #expect($0.removeValue(for: \.quota) == 6)
            $0.decorate(\.labels) { inherited, _ in inherited + ["one"] }
            $0.removeValue(for: \.labels)
        }
        #expect(app.quota == 10 && app.labels == ["base"])
    }

    @Test("The global scope is updated, and goes on to be followed")
    func global() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            useProgramRoots()
            let (global, log) = (EnvironmentScope.global, Log())
            global.notes = log
            let child = EnvironmentScope("child") { _ in }
            _ = child.storage
            try global.update { $0.quota = 33 }
            precondition(child.storage.size == 33 && global.localValue(for: \.storage)?.size == 33)
            try global.update { $0.removeValue(for: \.quota) }
            precondition(child.storage.size == 10)
            // Replaced while it is updated.
            let near = EnvironmentScope("near", parent: nil) { $0.notes = log }
            child.hook.meanwhile { EnvironmentScope.global = near }
            try global.update { $0.quota = 12 }
            precondition(global.localValue(for: \.storage)?.size == 12 && child.storage.size == 10)
            fatalError("as expected")
        }
        expect(result, saysExactly: "as expected")
    }

    @Test("A request follows an update of its application, and keeps what is its own")
    func children() async throws {
        let request = EnvironmentScope("request", parent: app) { $0.file = "r" }
        _ = (request.storageUser, app.storageUser)
        try app.update { $0.quota = 2 }
        #expect(request.storageUser.text == "on 2r" && app.storageUser.text == "on 2a")
        await request.close()
        await app.close()
        #expect(
            log.lines.sorted()
                == ["close 10a", "close 10r", "close 2a", "close 2r", "open 10a", "open 10r", "open 2a", "open 2r"]
        )
    }
}
