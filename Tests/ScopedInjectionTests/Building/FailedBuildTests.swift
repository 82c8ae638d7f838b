import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static var text: ScopeValue<String> { .value("default") }
    fileprivate static var failing: ScopeValue<String> { .required() }
    fileprivate static var own: ScopeValue<Int> { .lazy(.once(in: .request)) { _ in 1 } }
    fileprivate static var without: ScopeValue<String> { .lazy { (try? $0.failing) ?? "without" } }
    fileprivate static var page: ScopeValue<String> { .lazy { "<\(try $0.without)>" } }
}

@Suite("R5: a build that throws is not kept; who waited for it shares its error if he sees its inputs", .programRoots)
struct FailedBuildTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)

    init() { (app, request) = makeScopes(role: .request) }

    @Test("The next read builds again") func builtAgain() throws {
        let runs = Box(0)
        app.provide(\.failing) { _ in
            guard runs.next() > 1 else { throw Refusal() }
            return "second"
        }
        let error = #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
        #expect(error?.code == .makeFailed && error?.underlyingError is Refusal)
        #expect(try request.value(for: \.failing) == "second")
        #expect(runs.value == 2)
    }

    @Test("What goes on without it is kept, and follows what the failure depended on") func without() {
        app.provide(\.failing) { reader in
            let text = try reader.text
            guard text != "default" else { throw Refusal() }
            return text
        }
        #expect((request.page, app.page) == ("<without>", "<without>"))
        #expect(app.localValue(for: \.without) == "without")
        request.text = "there"
        #expect((request.page, app.page) == ("<there>", "<without>"))
        app.text = "all"
        #expect((request.page, app.page) == ("<there>", "<all>"))
    }

    @Test("Reads that waited for a build that threw get its error") func shared() {
        // A waiting thread cannot be seen from outside, so one of the rounds has to show it: on a busy machine a late one.
        var builds: [Int] = []
        while builds.count < 100 || builds.count < 10_000 && !builds.contains(1) {
            builds.append(Self.buildsWhereTwoAsk())
        }
        #expect(builds.allSatisfy { $0 <= 2 } && builds.contains(1))
    }

    /// How often a value that fails is built, if a second thread asks while the first one builds.
    private static func buildsWhereTwoAsk() -> Int {
        let probe = Probe()
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.failing) { _ in
            probe.noteBuild()
            throw Refusal()
        }
        probe.overlap {
            #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
        } _: {
            #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
        }
        return probe.builds.load(ordering: .relaxed)
    }

    @Test("A request that waited and sees another input gets its own value", arguments: 0..<20)
    func otherInput(round: Int) {
        let probe = Probe()
        app.provide(\.failing) { reader in
            probe.noteBuild()
            let text = try reader.text
            guard text != "default" else { throw Refusal() }
            return text
        }
        probe.overlap { [app] in
            #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
        } meanwhile: {
            request.text = "mine"
        } _: { [request] in
            #expect((try? request.value(for: \.failing)) == "mine")
        }
    }

    @Test("What goes on after a shared error is kept as far out as what it sees, and follows it", arguments: 0..<20)
    func keptAfterSharedError(round: Int) {
        let probe = Probe()
        app.text = "of the app"
        app.provide(\.failing) { reader in
            let text = try reader.text
            probe.noteBuild()
            guard text.isEmpty else { throw Refusal() }
            return text
        }
        probe.overlap { [app] in
            #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
        } _: { [request] in
            #expect(request.without == "without")
        }
        #expect(app.localValue(for: \.without) == "without")
        #expect(request.localValue(for: \.without) == nil)
        app.text = ""
        #expect(request.without == "")
    }

    @Test("An error of what is built from what stays in the request is of that request alone", arguments: 0..<20)
    func builtFromWhatStays(round: Int) {
        let probe = Probe()
        app.provide(\.failing) { reader in
            _ = try reader.own
            let isFirst = probe.builds.load(ordering: .relaxed) == 0
            probe.noteBuild()
            if isFirst { throw Refusal() }
            return "built"
        }
        let other = EnvironmentScope.empty("other", role: .request, parent: app)
        probe.overlap {
            #expect(throws: ScopeError.self) { try other.value(for: \.failing) }
        } _: { [request] in
            #expect((try? request.value(for: \.failing)) == "built")
        }
    }

    @Test("A failure for lack of a role is not that of a request that waited", arguments: 0..<20)
    func lackOfARole(round: Int) {
        let probe = Probe()
        app.provide(\.failing) { reader in
            probe.noteBuild()
            return "built of \(try reader.own)"
        }
        probe.overlap { [app] in
            let error = #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
            #expect(error?.code == .roleMissing)
        } _: { [request] in
            #expect((try? request.value(for: \.failing)) == "built of 1")
        }
    }

    @Test("A read that waited sees the scopes of its own chain in the error") func searchedScopes() {
        let probe = Probe()
        app.provide(\.failing) { _ in
            probe.noteBuild()
            throw Refusal()
        }
        probe.overlap { [app] in
            let error = #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
            #expect(error?.searchedScopes == ["app"])
        } _: { [request] in
            let error = #expect(throws: ScopeError.self) { try request.value(for: \.failing) }
            #expect(error?.searchedScopes == ["request", "app"])
        }
    }

    @Test("A builder that throws before or after any of its reads leaves nothing behind", arguments: 0..<8)
    func faults(point: Int) throws {
        let passed = Box(0)
        let pass: @Sendable () throws -> Void = { if passed.next() == point + 1 { throw Refusal() } }
        let watch = LifetimeWatch()
        do {
            let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
            let request = EnvironmentScope("request", parent: app) { $0.port = 2 }
            app.provide(\.bottom) { reader in
                try pass()
                let text = "\(try reader.port)"
                try pass()
                return Product(text)
            }
            app.provide(\.middle) { reader in
                let bottom = try reader.bottom
                try pass()
                return Product(bottom.text)
            }
            app.provide(\.top) { reader in
                try pass()
                let texts = [try reader.bottom.text, try reader.middle.text]
                try pass()
                return Product(texts.joined())
            }
            var failures = 0
            for scope in [request, app, request, app] {
                do {
                    let product = watch.add(try scope.value(for: \.top))
                    #expect(product.text == (scope === app ? "11" : "22"))
                } catch {
                    #expect(error.code == .makeFailed && error.underlyingError is Refusal)
                    failures += 1
                }
            }
            #expect(failures == 1)
            #expect(passed.value > point)
            #expect(try app.value(for: \.top) === app.localValue(for: \.top))
            #expect(try request.value(for: \.middle) === request.localValue(for: \.middle))
        }
        #expect(watch.alive == 0)
    }
}

extension ScopeValues {
    fileprivate static var top: ScopeValue<Product> { .required() }
    fileprivate static var middle: ScopeValue<Product> { .required() }
    fileprivate static var bottom: ScopeValue<Product> { .required() }
}
