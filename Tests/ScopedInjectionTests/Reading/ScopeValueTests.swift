import ScopedInjection
import Testing

private let evaluations = Box(0)

private func evaluated() -> Product {
    evaluations.update { $0 += 1 }
    return Product("constant")
}

extension ScopeValues {
    fileprivate static var constant: ScopeValue<Product> { .value(evaluated()) }
    fileprivate static var built: ScopeValue<Product> { .lazy { _ in Product("built") } }
    fileprivate static let lineOfCircular = #line + 1
    fileprivate static var circular: ScopeValue<Int> { .value(EnvironmentScope.empty(parent: nil).circular + 1) }
    fileprivate static var left: ScopeValue<Int> { .value(meeting { EnvironmentScope.global.right }) }
    fileprivate static var right: ScopeValue<Int> { .value(meeting { EnvironmentScope.global.left }) }
    fileprivate static var half: ScopeValue<Int> { .value(meeting { EnvironmentScope.global.whole }) }
    fileprivate static var whole: ScopeValue<Int> { .lazy { reader in try meeting { try reader.half } } }
    fileprivate static func seed(_ number: Int) -> ScopeValue<Int> { .value(yielding(number), id: number) }
    fileprivate static func grown(_ number: Int) -> ScopeValue<Bool> {
        .value(seed(number) == seed(number + 1), id: number)
    }
    fileprivate static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, id: name) }
    fileprivate static func keyed(_ id: some Hashable & Sendable) -> ScopeValue<Int> { .value(0, id: id) }
    fileprivate static func list<Element: Sendable>(of type: Element.Type) -> ScopeValue<[Element]> {
        .value([], id: ObjectIdentifier(type))
    }
    fileprivate static func capturing(_ text: String) -> ScopeValue<String> { .value(text, id: "text") }
    fileprivate static func building(_ text: String) -> ScopeValue<String> { .lazy(id: "text") { _ in text } }
    fileprivate static func token(of user: String) -> ScopeValue<Token> { .required(id: user) }
}

/// A number, after other threads had a chance to come.
private func yielding(_ number: Int) -> Int {
    for _ in 0..<10 { onThread {}.wait() }
    return number
}

private let bothBegun = Meeting()

/// Reads once two threads have come as far.
private func meeting(_ read: () throws -> Int) rethrows -> Int {
    bothBegun.meet()
    return try read()
}

/// The same declaration, as another file that has the text of its place for itself would write it.
private func declaredElsewhere(_ number: Int, line: UInt = 7, column: UInt = 5) -> ScopeValue<Int> {
    .value(number, name: "elsewhere", fileID: "Shop/Values.swift", line: line, column: column)
}

@Suite("A value is where it is declared", .programRoots)
struct ScopeValueTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    // MARK: Identity

    @Test("A property gives the same value at each call") func identity() {
        #expect(ScopeValues.port == ScopeValues.port)
        #expect(Set([ScopeValues.port, ScopeValues.port]).count == 1)
        #expect(ScopeValues.port != ScopeValues.main)
    }

    @Test("A value is found by the file, the line and the column, from wherever it is written") func place() {
        #expect(declaredElsewhere(1) == .value(2, name: "elsewhere", fileID: "Shop/Values.swift", line: 7, column: 5))
        #expect(declaredElsewhere(1) != declaredElsewhere(1, line: 8))
        #expect(declaredElsewhere(1) != declaredElsewhere(1, column: 6))
        #expect(declaredElsewhere(1) != .value(1, name: "elsewhere", fileID: "Shop/Other.swift", line: 7, column: 5))
    }

    @Test("Two declarations on one line are two values") func oneLine() {
        let (first, second) = (ScopeValue<Int>.value(1), ScopeValue<Int>.value(1))
        #expect(first != second)
        app[first] = 5
        #expect([app[first], app[second]] == [5, 1])
    }

    @Test("The values of a family are told apart by their id") func families() {
        #expect(ScopeValues.flag("beta") == ScopeValues.flag("beta"))
        #expect(ScopeValues.flag("beta") != ScopeValues.flag("dark"))
        app[ScopeValues.flag("beta")] = true
        #expect(app[ScopeValues.flag("beta")])
        #expect(!app[ScopeValues.flag("dark")])
        #expect(ScopeValues.token(of: "Ada") != ScopeValues.token(of: "Grace"))
    }

    @Test("Threads that ask for new values at once get the same ones") func threads() async {
        let found = Box<[[ScopeValue<Int>]]>([])
        await onThreads(4) { _ in
            let values = (0..<200).map { ScopeValues.keyed("threads \($0)") }
            found.update { $0.append(values) }
        }
        #expect(Set(found.value).count == 1)
        #expect(Set(found.value[0]).count == 200)
    }

    // MARK: Declarations

    @Test("What value is given is evaluated once, and shared by all scopes; what lazy builds, by those of one root")
    func evaluatedOnce() {
        let other = EnvironmentScope.empty("other", parent: nil)
        #expect(app.constant === other.constant)
        #expect(app.constant === EnvironmentScope.empty("request", parent: app).constant)
        #expect(evaluations.value == 1)
        #expect(app.built !== other.built)
        #expect(app.built === EnvironmentScope.empty("request", parent: app).built)
    }

    @Test("What a declaration captures counts the first time") func captures() {
        #expect(ScopeValues.capturing("first") == ScopeValues.capturing("second"))
        #expect(app[ScopeValues.capturing("second")] == "first")
        #expect(app[ScopeValues.building("first")] == "first")
        #expect(app[ScopeValues.building("second")] == "first")
    }

    @Test("A constant that is made of itself ends the program with a text that names its place")
    func selfMade() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = EnvironmentScope.empty(parent: nil).circular
        }
        expect(result, says: "The constant declared at \(#fileID):\(ScopeValues.lineOfCircular) is made of itself.")
    }

    @Test("So do it and another one, or a built value, made of each other on two threads", arguments: [true, false])
    func madeOfEachOther(isBuilt: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isBuilt] in
            useProgramRoots()
            let other = onThread { _ = isBuilt ? EnvironmentScope.global.half : EnvironmentScope.global.left }
            _ = isBuilt ? EnvironmentScope.global.whole : EnvironmentScope.global.right
            other.wait()
        }
        expect(result, says: "is made of itself.")
    }

    @Test("Two constants of which one is made of the other are no circle, whichever threads ask")
    func madeOfAnother() async {
        await #expect(processExitsWith: .success) {
            for number in 0..<2_000 {
                await onThreads(2) { index in
                    if index == 0 { _ = ScopeValues.seed(number) }
                    _ = ScopeValues.grown(number)
                }
            }
        }
    }

    // MARK: Names

    @Test("A value has the name of its property; in a family, with its id") func names() {
        #expect(app.explain(\.constant).name == "constant")
        #expect(app.explain(\.port).name == "port")
        #expect(app.explain({ $0.flag("beta") }).name == "flag(beta)")
        #expect(app.explain({ $0.keyed(5) }).name == "keyed(5)")
        #expect(app.explain({ $0.list(of: Int.self) }).name == "list")
    }
}

@Suite("Every operation takes a path or a closure", .programRoots)
struct VocabularyTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("A path and a closure name the same value, in every operation") func same() throws {
        app.provide(\.host) { _ in "path" }
        #expect(try app.value(for: { $0.host }) == "path")
        app.provide({ $0.host }) { _ in "closure" }
        #expect(try app.value(for: \.host) == "closure")
        app.decorate(\.host) { inherited, _ in inherited + "!" }
        #expect(try app.valueIfAny(for: { $0.host }) == "closure!")
        app.modify({ $0.host }) { $0 += "?" }
        #expect(try app.valueIfAny(for: \.host) == "closure!?")
        #expect(app.localValue(for: \.host) == app.localValue(for: { $0.host }))
        #expect(app.explain(\.host).description == app.explain({ $0.host }).description)
        app.with(\.host, "path").with({ $0.main }, 1)
        #expect(app.removeValue(for: { $0.host }) == "path")
        app.alias({ $0.replica }, to: \.main)
        app.alias(\.backup, to: { $0.replica })
        #expect(app.backup == 1)
        try app.validate(\.port, { $0.host })
        #expect(throws: ScopeError.self) { try app.validate({ $0.port }, \.token) }
    }
}
