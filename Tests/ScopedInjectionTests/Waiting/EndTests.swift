import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static var first: ScopeValue<Int> { .value(0) }
    fileprivate static var second: ScopeValue<Int> { .value(0) }
    fileprivate static var ofFirst: ScopeValue<String> { .lazy { "\(try $0.first)" } }
    fileprivate static var restless: ScopeValue<String> { .required() }
    fileprivate static var onIt: ScopeValue<String> { .lazy { "on \(try $0.restless)" } }
    fileprivate static var base: ScopeValue<Int> { .value(0) }
    fileprivate static var left: ScopeValue<Int> { .lazy { try $0.base } }
    fileprivate static var right: ScopeValue<Int> { .lazy { try $0.base } }
    fileprivate static var diamond: ScopeValue<[Int]> { .lazy { [try $0.left, try $0.right] } }
    fileprivate static var onThat: ScopeValue<String> { .lazy { "on \(try $0.onIt)" } }
}

@Suite("R5: a read ends soon, but not before four runs of a builder whose inputs keep changing", .programRoots)
struct EndTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let runs = Box(0)

    /// Provides a value that changes what it has read while it is built.
    private func provideRestless() {
        app.provide(\.restless) { [unowned app, runs] reader in
            let first = try reader.first
            runs.update { $0 += 1 }
            elsewhere { app.first += 1 }
            return "\(first)"
        }
    }

    @Test("One that changes in each run gives an unkept value of one moment", arguments: 0..<4, Restlessness.allCases)
    private func oneOfSeveral(position: Int, _ restlessness: Restlessness) {
        app.host = "set"
        app.provide(\.token) { _ in Token(text: "built") }
        app.provide(\.restless) { [unowned app, runs] reader in
            runs.update { $0 += 1 }
            var text = ""
            for index in 0..<4 {
                if index == position {
                    if restlessness == .around { elsewhere { app.first += 1 } }
                    text = restlessness == .behindAnother ? try reader.ofFirst : "\(try reader.first)"
                    elsewhere { app.first += 1 }
                }
                _ = (try reader.host, try reader.token, try reader.second)
            }
            return text
        }
        for _ in 0..<2 {
            runs.value = 0
            #expect(app.restless == "\(app.first - 1)")
            #expect(app.localValue(for: \.restless) == nil)
            #expect(runs.value >= 4)
        }
    }

    @Test("Values built from such a value end as soon, too") func nested() {
        provideRestless()
        #expect(app.onThat == "on on \(app.first - 1)")
        #expect(app.localValue(for: \.onThat) == nil)
    }

    @Test("Several that all change between the reads of a run are an error, which says so", arguments: [false, true])
    func severalInputs(isChangedBefore: Bool) {
        app.provide(\.restless) { [unowned app, runs] reader in
            runs.update { $0 += 1 }
            if isChangedBefore { elsewhere { app.first += 1 } }
            let first = try reader.first
            elsewhere {
                app.first += 1
                app.second += 1
            }
            return "\(first) \(try reader.second)"
        }
        let error = #expect(throws: ScopeError.self) { try app.value(for: \.restless) }
        #expect(error?.code == .invalid)
        #expect(error?.description.contains("What restless is built from has changed each time") == true)
        #expect(runs.value >= 4)
    }

    @Test("An error that is thrown in the last run is given") func failure() {
        app.provide(\.restless) { [unowned app, runs] reader in
            _ = try reader.first
            runs.update { $0 += 1 }
            elsewhere { app.first += 1 }
            throw Broken()
        }
        let error = #expect(throws: ScopeError.self) { try app.value(for: \.restless) }
        #expect(error?.code == .makeFailed)
        #expect(runs.value >= 4)
    }

    @Test("A builder over what is provided in a loop gives a value, or has tried for a tenth of a second")
    func diamond() {
        let isOver = Box(false)
        let provider = onThread { [app] in
            for number in 1... {
                if isOver.value { return }
                app.provide(\.base) { _ in number }
            }
        }
        for _ in 0..<100 {
            let start = ContinuousClock.now
            do {
                let sides = try app.value(for: \.diamond)
                #expect(sides[0] == sides[1])
            } catch { #expect(start.duration(to: .now) >= .milliseconds(100)) }
        }
        isOver.value = true
        provider.wait()
    }

    // MARK: What is built from such a value

    @Test("It is not kept, nor what is built from that, until such a value is kept again") func builtFromIt() {
        let storm = Storm(in: app)
        let child = EnvironmentScope("child", parent: app) { $0.first = 1 }
        let one = ScopeValue<String>.lazy(id: ObjectIdentifier(storm)) { "\(try $0[storm.number]), \(try $0.first)" }
        let other = ScopeValue<String>.lazy(id: ObjectIdentifier(storm)) { try $0[one] }
        #expect(child[other] == "\(storm.count), 1")
        #expect([one, other].allSatisfy { value in child.localValue(for: { _ in value }) == nil })
        storm.end()
        #expect(child[other] == "\(storm.count), 1")
        #expect([one, other].allSatisfy { value in child.localValue(for: { _ in value }) == "\(storm.count), 1" })
    }

    @Test("An error that it causes is not kept by who survives it, and not shared with who waits")
    func failureFromIt() {
        let (storm, probe, app) = (Storm(in: app), Probe(), app)
        let failing = ScopeValue<Int>.lazy(id: ObjectIdentifier(storm)) { reader in
            let rages = storm.rages
            let number = try reader[storm.number]
            probe.noteBuild()
            if rages { throw Broken() }
            return number
        }
        let survivor = ScopeValue<Int>.lazy(id: ObjectIdentifier(storm)) { (try? $0[failing]) ?? -1 }
        let given = Box([0, 0])
        probe.overlap(
            {
                let number = app[survivor]
                given.update { $0[0] = number }
            },
            meanwhile: { storm.end() }
        ) {
            let number = (try? app.value { _ in failing }) ?? -1
            given.update { $0[1] = number }
        }
        #expect(given.value == [-1, storm.count])
        #expect(app[survivor] == storm.count)
    }
}

private struct Broken: Error {}

/// When the input changes that changes in each run.
private enum Restlessness: CaseIterable { case afterwards, around, behindAnother }

/// A value that its scope lets go of while it is built, each time until that is over.
private final class Storm: Sendable {
    // Not unowned: the declaration holds the storm for good, and so the memory of a scope that it refers to.
    private let scope: Box<EnvironmentScope?>
    private let runs = Box(0)

    init(in scope: EnvironmentScope) { self.scope = Box(scope) }

    var rages: Bool { scope.value != nil }
    var count: Int { runs.value }

    func end() { scope.value = nil }

    /// Counts its builds.
    var number: ScopeValue<Int> {
        .lazy(id: ObjectIdentifier(self)) { _ in
            let number = self.runs.next()
            self.scope.value?.removeValue { _ in self.number }
            return number
        }
    }
}
