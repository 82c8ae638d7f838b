import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var mode: ScopeValue<Int> { .value(1) }
    fileprivate static var mine: ScopeValue<Int> { .value(0) }
    fileprivate static var text: ScopeValue<String> { .value("default") }
}

/// Two builds of one value whose keeper was not foreseen: the last run read what a request overrides, and these do not.
@Suite("R5: of two builds of one value one is kept, and nothing of the other is lost", .programRoots)
struct TwoBuildsTests {
    private let root: EnvironmentScope
    private let app: EnvironmentScope
    private let log = Log()
    /// What the builds that follow wait for before they read.
    private let gates = Box<[Gate]>([])
    private let arrivals = [Gate(), Gate()]

    init() {
        root = EnvironmentScope("root", parent: nil) { $0.mode = 1 }
        app = .empty("app", parent: root)
    }

    /// Lets the value be built in a request, which teaches that it needs what requests override.
    private func provide() {
        app.provide(\.text) { [log, gates, arrivals] reader in
            let gate = gates.update { $0.popLast() }
            if let gate {
                arrivals[gates.value.count].open()
                gate.wait()
            }
            let mode = try reader.mode
            if mode == 1 { _ = try reader.mine } else { reader.onClose { log.add("closed \(mode)") } }
            return "mode \(mode)"
        }
        let request = EnvironmentScope("request", parent: app) { $0.mine = 1 }
        #expect(request.text == "mode 1")
        root.mode = 2
    }

    /// Starts a build in a request, where it seems to belong, and one in the application, where both belong; ends the first,
    /// and then the second.
    private func buildBoth(change: () -> Void = {}) async {
        provide()
        let (inRequest, inApp) = (Gate(), Gate())
        gates.value = [inApp, inRequest]
        let (app, log) = (app, log)
        let first = onThread {
            let request = EnvironmentScope("request", parent: app) { $0.mine = 2 }
            log.add("request: \(request.text)")
        }
        await arrivals[1].passed()
        let second = onThread { log.add("app: \(app.text)") }
        await arrivals[0].passed()
        inRequest.open()
        await first.passed()
        change()
        inApp.open()
        await second.passed()
    }

    @Test("The cleanup of the one that is not kept runs, and both reads give the one that is") func found() async {
        await buildBoth()
        // It is queued, and closing waits for what is queued.
        await app.close()
        #expect(log.lines.filter { !$0.hasPrefix("closed") } == ["request: mode 2", "app: mode 2"])
        #expect(log.lines.filter { $0 == "closed 2" }.count == 2)
    }

    @Test("The second one takes the place of a first one that is out of date, and the builder stays")
    func outOfDate() async {
        await buildBoth { root.mode = 3 }
        #expect(log.lines.filter { !$0.hasPrefix("closed") } == ["request: mode 2", "app: mode 3"])
        root.mode = 4
        #expect(app.text == "mode 4")
        await app.close()
        #expect(log.lines.filter { $0.hasPrefix("closed") }.sorted() == ["closed 2", "closed 3", "closed 4"])
    }
}
