import ScopedInjection
import Testing

/// What a thread that a builder starts reads, and how far it has come.
private final class Errand: Sendable {
    let answer = Box("nothing yet")
    let isUnderway = Gate()
    let mayGoOn = Gate()
    let isOver = Gate()

    func pause() {
        isUnderway.open()
        mayGoOn.wait()
    }
}

extension ScopeValues {
    fileprivate static let errand = ScopeValue<Errand>.required()
    fileprivate static let caller = ScopeValue("nobody")
    fileprivate static let place = ScopeValue("here")
    fileprivate static let profile = ScopeValue<String> { scope in
        let user = scope.caller
        if user == "alice" { scope.errand.pause() }
        return "profile of \(user)"
    }
    fileprivate static let refusal = ScopeValue<String> { scope in
        let user = scope.caller
        if user == "alice" { scope.errand.pause() }
        throw Refused(user: user)
    }
    fileprivate static let outlasted = ScopeValue<Box<String>>.required()
    fileprivate static let around = ScopeValue<Box<String>?>()
    fileprivate static let lodger = ScopeValue<EnvironmentScope?>()
    fileprivate static let tenant = ScopeValue<EnvironmentScope>.required()
}

private struct Refused: Error { let user: String }

@Suite("R2, R4: reads on other threads that outlast the build whose builder began them")
struct LateReadTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let errand = Errand()

    /// What a value that the application keeps has read on another thread: the read begins in a builder that runs for the
    /// request of alice, and ends when the value is kept.
    private func answer(_ read: @escaping @Sendable (EnvironmentScope) throws -> String) -> String {
        let errand = errand
        app.errand = errand
        app.provide(\.outlasted) { scope in
            let read = Self.made(by: scope, read)
            onThread {
                let answer = Result { try read() }
                errand.answer.value = (try? answer.get()) ?? "no answer"
                errand.isOver.open()
            }
            errand.isUnderway.wait()
            return errand.answer
        }
        let tenant = EnvironmentScope.empty("tenant of alice", parent: app)
        let request = EnvironmentScope("request of alice", parent: tenant) { $0.caller = "alice" }
        let service = request.outlasted
        #expect(app.localValue(for: \.outlasted) === service)
        errand.mayGoOn.open()
        errand.isOver.wait()
        return service.value
    }

    private static func made(
        by scope: EnvironmentScope,
        _ read: @escaping @Sendable (EnvironmentScope) throws -> String
    ) -> @Sendable () throws -> String { { try read(scope) } }

    @Test("A value is the one of the scope that keeps the other value")
    func value() {
        #expect(answer { $0.profile } == "profile of nobody")
    }

    @Test("So is a value that is read in the entered scope")
    func entered() {
        #expect(answer { scope in scope { Injected(\.profile).wrappedValue } } == "profile of nobody")
    }

    @Test("So is an error")
    func error() {
        let text = answer { scope in
            do {
                return try scope.value(for: \.refusal)
            } catch {
                return "\(error)"
            }
        }
        #expect(text.contains("Refused(user: \"nobody\")"))
        #expect(text.contains("Searched: \"app\""))
    }

    @Test("So is an inherited value")
    func inherited() {
        #expect(answer { try $0.inherited(\.profile) } == "profile of nobody")
    }

    @Test("So is a value that is read through a scope below the builder's")
    func below() {
        let text = answer { scope in
            let child = EnvironmentScope.empty("child", parent: scope)
            return child.profile
        }
        #expect(text == "profile of nobody")
    }

    #if DEBUG
        @Test("So is a parent", arguments: [true, false])
        func parent(isOfChild: Bool) {
            let errand = errand
            let text = answer { scope in
                let child = isOfChild ? EnvironmentScope.empty("child", parent: scope) : nil
                let pause = once { errand.pause() }
                return Pause.$beforeRecording.withValue(pause) {
                    (child ?? scope).parent.map { $0.name ?? "no name" } ?? "no parent"
                }
            }
            #expect(text == (isOfChild ? "app" : "no parent"))
        }
    #endif

    @Test("A build that made such a read runs again, and needs nothing of the request")
    func ofOtherBuild() {
        let (runs, errand) = (Box(0), errand)
        let view = Box<EnvironmentScope?>(nil)
        app.provide(\.place) { _ in
            runs.update { $0 += 1 }
            return view.value?.profile ?? "no view"
        }
        var request: EnvironmentScope? = EnvironmentScope("request of alice", parent: app) { $0.caller = "alice" }
        app.errand = errand
        app.provide(\.outlasted) { [weak app = self.app] scope in
            view.value = scope
            let app = app
            onThread {
                errand.answer.value = app?.place ?? "no app"
                errand.isOver.open()
            }
            errand.isUnderway.wait()
            return errand.answer
        }
        _ = request?.outlasted
        errand.mayGoOn.open()
        errand.isOver.wait()
        #expect(errand.answer.value == "profile of nobody")
        let known = runs.value
        request = nil
        #expect(app.place == "profile of nobody")
        #expect(runs.value == known)
        // Otherwise the scopes would keep each other.
        view.value = nil
    }

    @Test("A scope below one whose maker is over belongs to the build further out that is not")
    func madeBelowMade() {
        app.provide(\.outlasted) { scope in
            let outer = EnvironmentScope("outer", parent: scope) { $0.lodger = scope }
            outer.provide(\.tenant) { EnvironmentScope.empty("inner", parent: $0.lodger ?? $0) }
            let inner = outer.tenant
            outer.lodger = nil
            let answer = Box("")
            onThread { answer.value = EnvironmentScope.empty("innermost", parent: inner).caller }.wait()
            return answer
        }
        let request = EnvironmentScope("request of alice", parent: app) { $0.caller = "alice" }
        #expect(request.outlasted.value == "alice")
        #expect(app.outlasted.value == "nobody")
    }

    #if DEBUG
        @Test("What comes when the value is kept is no input of the value around it either", arguments: [true, false])
        func aroundKept(isParent: Bool) {
            let errand = errand
            app.errand = errand
            app.provide(\.outlasted) { scope in
                onThread {
                    if isParent {
                        Pause.$beforeRecording.withValue(once { errand.pause() }) { _ = scope.parent }
                    } else {
                        _ = scope.profile
                    }
                    errand.isOver.open()
                }
                errand.isUnderway.wait()
                return errand.answer
            }
            app.provide(\.around) { EnvironmentScope.empty("child", parent: $0).outlasted }
            let request = EnvironmentScope("request of alice", parent: app) { $0.caller = "alice" }
            let goOn = once {
                errand.mayGoOn.open()
                errand.isOver.wait()
            }
            let around = Pause.$afterPlacing.withValue(goOn) { request.around }
            #expect(app.localValue(for: \.around).flatMap { $0 } === around)
        }
    #endif

    @Test("A read never takes a scope for gone while the value is kept and the request goes")
    func requestGoes() {
        let failures = Box<[String]>([])
        for round in 0..<3_000 {
            let app = EnvironmentScope.empty("app", parent: nil)
            let isOver = Gate()
            app.provide(\.outlasted) { scope in
                let hasBegun = Gate()
                onThread {
                    hasBegun.open()
                    for _ in 0..<60 {
                        do {
                            _ = try scope.value(for: \.place)
                        } catch {
                            failures.update { $0 = ["\(round): \(error)"] }
                        }
                    }
                    isOver.open()
                }
                hasBegun.wait()
                return Box("")
            }
            var request: EnvironmentScope? = EnvironmentScope("request", parent: app) { $0.caller = "alice" }
            _ = request?.outlasted
            request = nil
            isOver.wait()
        }
        #expect(failures.value.isEmpty)
    }
}
