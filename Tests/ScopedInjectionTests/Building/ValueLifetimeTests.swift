import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var url: ScopeValue<String> { .value("default") }
    fileprivate static var session: ScopeValue<Product> { .lazy(.scoped) { Product("session \(try $0.url)") } }
    fileprivate static var logger: ScopeValue<Product> { .lazy { Product("log of \(try $0.session.text)") } }
    fileprivate static var page: ScopeValue<Product> { .lazy { Product("page, \(try $0.logger.text)") } }
    fileprivate static var fresh: ScopeValue<Product> { .lazy(.transient) { Product("fresh \(try $0.url)") } }
    fileprivate static var holder: ScopeValue<Product> { .lazy { Product("holds \(try $0.fresh.text)") } }
    fileprivate static var answer: ScopeValue<String?> { .optional() }
    /// Fails in each scope that has no answer.
    fileprivate static var guest: ScopeValue<String> { .lazy(.scoped) { try $0.answer ?? $0.token.text } }
    fileprivate static var welcome: ScopeValue<String> { .lazy { (try? $0.guest) ?? "nobody" } }
    fileprivate static var sharedText: ScopeValue<Product> { .lazy(.shared) { Product(try $0.url) } }
}

@Suite("R3: scoped values belong to the scope that asked, transient ones to nobody")
struct ValueLifetimeTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let request: EnvironmentScope
    private let other: EnvironmentScope

    init() {
        request = .empty("request", parent: app)
        other = .empty("other", parent: app)
    }

    // MARK: Scoped

    @Test("Each scope that asks for a scoped value has its own, and keeps it")
    func scoped() {
        let session = request.session
        #expect(request.session === session)
        #expect(request.localValue(for: \.session) === session)
        #expect(other.session !== session)
        #expect(app.session !== session)
        #expect(request.session === session)
    }

    @Test("What is built from a scoped value is for the scope that asked alone, however far the way")
    func builtFromScoped() {
        let appPage = app.page
        #expect(request.page !== appPage)
        #expect(request.page !== other.page)
        #expect(request.localValue(for: \.page) === request.page)
        #expect(request.localValue(for: \.logger) === request.logger)
        let part = EnvironmentScope.empty("part", parent: request)
        #expect(part.page !== request.page)
        #expect(app.page === appPage)
    }

    @Test("A scoped value is for the scope that asked alone, whatever changes while it is built")
    func scopedDuringChange() {
        app.provide(\.url) { [unowned app] _ in
            app.answer = "unrelated"
            return "provided"
        }
        let (session, page) = (request.session, request.page)
        #expect(request.localValue(for: \.session) === session)
        #expect(request.localValue(for: \.page) === page)
        #expect(other.session !== session)
        #expect(other.page !== page)
    }

    @Test("A scoped value is rebuilt when its input changes")
    func scopedRebuilt() {
        let before = request.page
        app.url = "new"
        #expect(request.session.text == "session new")
        #expect(request.page.text == "page, log of session new")
        #expect(request.page !== before)
    }

    @Test("A scoped value that is set, or provided, further out is found like any other")
    func scopedOverridden() {
        app.session = Product("set")
        #expect(request.session === app.session)
        #expect(request.logger === app.logger)
        app.provide(\.session) { _ in Product("provided") }
        #expect(request.session !== app.session)
        #expect(request.session.text == "provided")
    }

    @Test("The failure of a scoped value belongs to the scope that asked, and so does what goes on without it")
    func scopedFailure() {
        #expect(request.welcome == "nobody")
        other.answer = "Ann"
        #expect(other.welcome == "Ann")
        #expect(request.welcome == "nobody")
        #expect(app.localValue(for: \.welcome) == nil)
        request.answer = "Bob"
        #expect(request.welcome == "Bob")
    }

    @Test("A scoped value that worked for one request and failed for another is each one's own")
    func scopedFailureOfOne() {
        let answers = Box(["Ann"])
        app.provide(\.guest) { reader in
            guard let answer = answers.update({ $0.popLast() }) else { return try reader.token.text }
            return answer
        }
        #expect(request.welcome == "Ann")
        #expect(other.welcome == "nobody")
        #expect(request.welcome == "Ann")
    }

    // MARK: Transient

    @Test("A transient value is built at each read, and never kept")
    func transient() {
        #expect(request.fresh !== request.fresh)
        #expect(request.localValue(for: \.fresh) == nil)
        #expect(app.localValue(for: \.fresh) == nil)
    }

    @Test("What is built from a transient value has that value's inputs")
    func builtFromTransient() {
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

    @Test("A transient value that reads a scoped one makes what is built from it the asking scope's")
    func transientOfScoped() {
        app.provide(\.fresh) { Product("fresh \(try $0.session.text)") }
        #expect(request.holder !== other.holder)
        #expect(request.localValue(for: \.holder) === request.holder)
    }

    @Test("A provided builder keeps the lifetime of the value")
    func provided() {
        request.provide(\.fresh) { _ in Product("mine") }
        #expect(request.fresh !== request.fresh)
        app.provide(\.sharedText) { _ in Product("provided") }
        #expect(request.sharedText === other.sharedText)
    }

    @Test("localValue gives what the scope itself has set or kept, and builds nothing")
    func localValue() {
        #expect(app.localValue(for: \.sharedText) == nil)
        app.url = "set"
        #expect(app.localValue(for: \.url) == "set")
        #expect(request.localValue(for: \.url) == nil)
        app.provide(\.sharedText) { _ in Product("provided") }
        #expect(app.localValue(for: \.sharedText) == nil)
        let built = request.sharedText
        #expect(app.localValue(for: \.sharedText) === built)
    }
}
