import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var url: ScopeValue<String> { .value("default") }
    fileprivate static var session: ScopeValue<Product> {
        .lazy(.once(in: .request)) { Product("session \(try $0.url)") }
    }
    fileprivate static var logger: ScopeValue<Product> { .lazy { Product("log of \(try $0.session.text)") } }
    fileprivate static var page: ScopeValue<Product> { .lazy { Product("page, \(try $0.logger.text)") } }
    fileprivate static var fresh: ScopeValue<Product> { .lazy(.transient) { Product("fresh \(try $0.url)") } }
    fileprivate static var holder: ScopeValue<Product> { .lazy { Product("holds \(try $0.fresh.text)") } }
    fileprivate static var answer: ScopeValue<String?> { .optional() }
    /// Fails in each request that has no answer.
    fileprivate static var guest: ScopeValue<String> { .lazy(.once(in: .request)) { try $0.answer ?? $0.token.text } }
    fileprivate static var welcome: ScopeValue<String> { .lazy { (try? $0.guest) ?? "nobody" } }
}

@Suite("R3, R17: what stays, and is built from that, belongs to the request, transient values to nobody", .programRoots)
struct ValueLifetimeTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let request: EnvironmentScope
    private let other: EnvironmentScope

    init() {
        request = .empty("request", role: .request, parent: app)
        other = .empty("other", role: .request, parent: app)
    }

    @Test("Its failure belongs to the request, and so does what goes on without it") func failure() {
        #expect(request.welcome == "nobody")
        other.answer = "Ann"
        #expect(other.welcome == "Ann")
        #expect(request.welcome == "nobody")
        #expect(app.localValue(for: \.welcome) == nil)
        request.answer = "Bob"
        #expect(request.welcome == "Bob")
    }

    @Test("Where it worked for one request and failed for another, each has its own, and what failed is tried again")
    func failureOfOne() {
        let answers = Box(["Bob", nil, "Ann"])
        app.provide(\.guest) { reader in
            guard let answer = answers.update({ $0.removeLast() }) else { return try reader.token.text }
            return answer
        }
        #expect(request.welcome == "Ann")
        #expect(other.welcome == "nobody")
        #expect(request.welcome == "Ann")
        // What goes on without it is kept until what the failed run has read is another one.
        #expect(other.guest == "Bob" && other.welcome == "nobody")
        other.token = Token(text: "t")
        #expect(other.welcome == "Bob")
    }

    @Test("A transient value is built at each read, and never kept") func transient() {
        #expect(request.fresh !== request.fresh && request.localValue(for: \.fresh) == nil)
        #expect(app.localValue(for: \.fresh) == nil)
    }

    @Test("What is built from a transient value has that value's inputs") func builtFromTransient() {
        let shared = request.holder
        #expect(shared === app.holder)
        request.url = "request"
        #expect(request.holder.text == "holds fresh request")
        #expect(request.holder === request.localValue(for: \.holder))
        #expect(app.holder === shared)
        app.provide(\.fresh) { _ in Product("provided") }
        #expect(request.holder.text == "holds provided")
        #expect(app.holder === request.holder)
    }

    @Test("A transient value that reads one that stays makes what is built from it the request's")
    func transientOfWhatStays() {
        app.provide(\.fresh) { Product("fresh \(try $0.session.text)") }
        #expect(request.holder !== other.holder)
        #expect(request.localValue(for: \.holder) === request.holder)
    }
}
