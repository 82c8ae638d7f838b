import ScopedInjection
import Testing

private struct Refusal: Error {}

extension ScopeValues {
    fileprivate static let session = ScopeValue<String>.required(name: "session")
    fileprivate static let greeting = ScopeValue<String> { scope in
        (try? scope.value(for: \.ofUser)).map { "Hello, \($0)" } ?? "Hello"
    }
    fileprivate static let ofUser = ScopeValue<String>(.scoped) { scope in
        guard let user = FailingUser.next() else { throw Refusal() }
        return user
    }
}

/// What no scope can see: each run of the builder takes the next answer.
private enum FailingUser {
    @TaskLocal static var answers: Box<[String?]>?

    static func next() -> String? { answers?.update { $0.isEmpty ? nil : $0.removeFirst() } }
}

/// A `.scoped` value belongs to the scope that asks, and so does its failure.
@Suite("R2, R3: a scoped value that fails in one scope and not in another")
struct ScopedFailureTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let first: EnvironmentScope
    private let second: EnvironmentScope

    init() {
        first = .empty("first", parent: app)
        second = .empty("second", parent: app)
    }

    private func answering(_ answers: String?..., body: () throws -> Void) rethrows {
        try FailingUser.$answers.withValue(Box(answers), operation: body)
    }

    @Test("What one request builds without it is not given to the next one")
    func notShared() {
        answering(nil, "Ann") {
            #expect(first.greeting == "Hello")
            #expect(second.greeting == "Hello, Ann")
            #expect(first.greeting == "Hello")
            #expect(app.localValue(for: \.greeting) == nil)
        }
    }

    @Test("So it is with what is built from that, and over a value that is built at each read")
    func further() {
        let transient = ScopeValue<String>(.transient, name: "transient") { $0.greeting }
        let page = ScopeValue<String>(name: "page") { "<\($0[transient])>" }
        answering(nil, "Ann") {
            #expect(first[page] == "<Hello>")
            #expect(second[page] == "<Hello, Ann>")
        }
    }

    @Test("The error of a value that needs it is not kept for the next one either")
    func failing() throws {
        let needing = ScopeValue<String>(name: "needing") { try "needs \($0.value(for: \.ofUser))" }
        let without = ScopeValue<String>(name: "without") { (try? $0.value(for: needing)) ?? "without" }
        answering(nil, "Ann") {
            #expect(first[without] == "without")
            #expect(second[without] == "needs Ann")
        }
    }

    @Test("In a scope that the builder made itself it says nothing of the asking scope")
    func inMadeScope() {
        let value = ScopeValue<String>(name: "value") { scope in
            (try? EnvironmentScope.empty("own", parent: scope).value(for: \.ofUser)) ?? "without"
        }
        answering(nil, "Ann") {
            #expect(first[value] == "without")
            #expect(app.localValue(for: value) == "without")
            #expect(second[value] == "without")
        }
    }

    @Test("So it is if a scoped value throws what something else threw that it needed only there")
    func rethrown() {
        let broken = ScopeValue<String>(name: "broken") { _ in throw Refusal() }
        for need in [broken, .required(name: "required")] {
            let user = ScopeValue<String>(.scoped, name: "user") { try FailingUser.next() ?? $0.value(for: need) }
            let without = ScopeValue<String>(name: "without") { (try? $0.value(for: user)) ?? "without" }
            answering(nil, "Ann") {
                #expect(first[without] == "without")
                #expect(second[without] == "Ann")
                #expect(app.localValue(for: without) == nil)
            }
        }
    }

    @Test("So it is if a scoped value needs another one in a scope that its builder made")
    func withinMadeScope() {
        let user = ScopeValue<String>(.scoped, name: "user") { scope in
            try EnvironmentScope.empty("own", parent: scope).value(for: \.ofUser)
        }
        let without = ScopeValue<String>(name: "without") { (try? $0.value(for: user)) ?? "without" }
        answering(nil, "Ann") {
            #expect(first[without] == "without")
            #expect(second[without] == "Ann")
        }
    }

    @Test("A scope that was given another answer to what it sees builds it anew")
    func rebuilt() {
        let value = ScopeValue<String>(name: "value") { scope in
            "\(scope.session) \((try? scope.value(for: \.ofUser)) ?? "nobody")"
        }
        app.session = "one"
        answering(nil, "Ann", "Bob") {
            #expect(first[value] == "one nobody")
            app.session = "two"
            #expect(first[value] == "two Ann")
            #expect(second[value] == "two Bob")
        }
    }
}
