import ScopedInjection
import Testing

@Suite("R18: in an update, each change means what it means in the scope", .programRoots, .timeLimit(.minutes(10)))
struct UpdateChangesTests {
    private let (app, log): (EnvironmentScope, Log)

    init() { (app, log) = makeLoggedApp() }

    @Test("A set value goes on from what the scope has") func set() throws {
        try app.update { $0.quota += 1 }
        try app.update { $0.quota += 1 }
        #expect(app.quota == 12)
    }

    @Test("Setting nil is setting") func setNil() throws {
        app.user = User(name: "a")
        try app.update { $0.user = nil }
        #expect(app.user == nil && app.explain(\.user).line == "user (User?): set in \"app\"")
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

    @Test("A provider leaves the scope's decorations over it") func provide() throws {
        app.decorate(\.labels) { inherited, _ in inherited + ["one"] }
        _ = app.labelled
        try app.update { $0.provide(\.labels) { _ in ["provided"] } }
        #expect(app.localValue(for: \.labelled)?.text == "provided,one")
        #expect(app.explain(\.labels).line.contains(": decorated in \"app\""))
    }

    @Test("The global scope is updated, and goes on to be followed") func global() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            useProgramRoots()
            let (global, log) = (EnvironmentScope.global, Log())
            global.log = log
            let child = EnvironmentScope("child") { _ in }
            _ = child.storage
            try global.update { $0.quota = 33 }
            precondition(child.storage.size == 33 && global.localValue(for: \.storage)?.size == 33)
            // Replaced while it is updated.
            let near = EnvironmentScope("near", parent: nil) { $0.log = log }
            child.hook.meanwhile { EnvironmentScope.global = near }
            try global.update { $0.quota = 12 }
            precondition(global.localValue(for: \.storage)?.size == 12 && child.storage.size == 10)
            fatalError("as expected")
        }
        expect(result, saysExactly: "as expected")
    }

    @Test("A request follows an update of its application, and keeps what is its own") func children() async throws {
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

    // MARK: What is equal

    @Test("A set of a value that is equal to the one that the scope has lets go of nothing, and is given from then on")
    func equal() async throws {
        app.quota = 5
        app.file = "f"
        app.labels = ["one"]
        let other = EnvironmentScope("other", parent: app) { _ in }.storage
        let (storage, labelled) = (app.storage, app.labelled)
        _ = log.take()
        app.observe { [log] in if $0.kind == .updated { log.add("\($0)") } }
        try app.update {
            $0.quota = 5
            $0.file = "f"
            $0.labels = ["one"]
            #expect($0.storage === storage)
        }
        #expect(app.storage === storage && app.labelled === labelled && other === storage)
        try app.update {
            $0.quota = 6
            $0.quota = 5
            $0.file = "f"
            $0.labels = ["two"]
        }
        #expect(app.storage === storage && app.labelled !== labelled && app.labels == ["two"])
        #expect(log.lines == [#"updated "app": nothing"#, #"updated "app": labels"#])
        await app.close()
        #expect(log.lines.suffix(1) == ["close 5f"])
    }

    @Test("What equals, and is another one, is what is given; what was built from the former one stays")
    func equalAndGiven() throws {
        app.tag = Tag(id: 1, text: "former")
        let tagged = app.tagged
        try app.update { $0.tag = Tag(id: 1, text: "new") }
        #expect(app.tag.text == "new" && app.tagged === tagged)
        try app.update { $0.tag = Tag(id: 2, text: "new") }
        #expect(app.tagged !== tagged)
    }

    @Test("A default, what is provided or decorated, an object, and what cannot be compared are changed by a set")
    func unequal() throws {
        let storage = app.storage
        try app.update { $0.quota = 10 }
        #expect(app.storage !== storage)
        app.provide(\.labels) { _ in ["one"] }
        let labelled = app.labelled
        try app.update { $0.labels = ["one"] }
        #expect(app.labelled !== labelled)
        app.token = Token(text: "t")
        app.part = Part()
        let (users, owner) = (app.tokenUser, app.partOwner)
        try app.update {
            $0.token = Token(text: "t")
            $0.part = app.part
        }
        #expect(app.tokenUser == users && app.partOwner !== owner)
    }

    @Test("A settings struct that is taken apart has only that built anew which has changed")
    func takenApart() throws {
        (app.quota, app.file) = (1, "f")
        let (storage, onFile) = (app.storage, app.onFile)
        let new = (quota: 2, file: "f")
        try app.update { ($0.quota, $0.file) = (new.quota, new.file) }
        #expect(app.onFile === onFile && app.storage !== storage && app.storage.text == "2f")
    }
}

private struct Tag: Equatable {
    let id: Int
    let text: String
    static func == (one: Tag, other: Tag) -> Bool { one.id == other.id }
}

private final class Part: Equatable, Sendable { static func == (_: Part, _: Part) -> Bool { true } }

extension ScopeValues {
    fileprivate static var tag: ScopeValue<Tag> { .required() }
    fileprivate static var tagged: ScopeValue<Product> { .lazy { Product(try $0.tag.text) } }
    fileprivate static var part: ScopeValue<Part> { .required() }
    fileprivate static var partOwner: ScopeValue<Product> {
        .lazy {
            _ = try $0.part
            return Product("owner")
        }
    }
}
