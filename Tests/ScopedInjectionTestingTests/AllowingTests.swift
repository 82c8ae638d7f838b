import Foundation
import ScopedInjectionTesting
import Testing

@testable import ScopedInjection

@Suite("Defaults that a test allows", .withoutIssues)
struct AllowingTests {
    @Test("By key path", .scope(defaults: .forbidden, allowing: \.limit, \.unit) { $0.port = 1 })
    func byKeyPath() {
        #expect(EnvironmentScope.current.limit == 100)
        #expect(EnvironmentScope.current.unit == "EUR")
        #expect(EnvironmentScope.current.port == 1)
    }

    @Test("By value", .scope(defaults: .forbidden, allowing: ScopeValues.limit))
    func byValue() { #expect(EnvironmentScope.current.limit == 100) }

    @Test("By key type", .scope(defaults: .forbidden, allowing: PortKey.self, HostKey.self, AddressKey.self))
    func byKeyType() { #expect(EnvironmentScope.current.address == "localhost:8080") }

    @Test("For reads that can throw, and in scopes below", .scope(defaults: .forbidden, allowing: \.limit))
    func throwing() throws {
        #expect(try EnvironmentScope.current.value(for: \.limit) == 100)
        #expect(try EnvironmentScope.empty("below").value(for: \.limit) == 100)
    }

    @Test("Only the values that are named", .scope(defaults: .forbidden, allowing: \.limit))
    func others() throws {
        let error = try #require(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.unit) }
        #expect(error.code == .defaultForbidden)
    }

    @Test(
        "An allowed value is the live one, though tests have one of their own",
        .scope(defaults: .forbidden, allowing: \.retries)
    )
    func live() { #expect(EnvironmentScope.current.retries == 5) }

    @Suite(.scope(defaults: .forbidden, allowing: \.limit))
    struct OfSuite {
        @Test("What a suite allows and what its test allows", .scope(allowing: \.unit))
        func both() {
            #expect(EnvironmentScope.current.limit == 100)
            #expect(EnvironmentScope.current.unit == "EUR")
        }
    }

    @Test("A value for tests is given without a word", .scope(defaults: .forbidden))
    func inTests() { #expect(EnvironmentScope.current.retries == 0) }
}

@Suite("What a test allows, below a scope that several tests share")
struct SharedParentTests {
    private let shared = EnvironmentScope("shared", parent: nil, defaults: .forbidden) { scope in
        scope.provide(PlaceKey.self) { scope in (try? scope.value(for: \.limit)).map { "up to \($0)" } ?? "no limit" }
    }

    private struct PlaceKey: ScopeKey { static var defaultValue: String { "" } }

    /// A scope as a test has it; the watch has to live as long as the scope.
    private func scope(allowing allowed: [ValueKey] = []) -> (EnvironmentScope, CaseWatch) {
        let watch = CaseWatch(allowing: allowed) { _, _ in true }
        return (watch.makeScope("test", parent: shared, defaults: nil), watch)
    }

    @Test("The default that one test allows is forbidden in the other, whichever reads first")
    func allowedFirst() throws {
        let (allowing, watch) = scope(allowing: [ScopeValues.limit.valueKey, ScopeValues.retries.valueKey])
        let (other, otherWatch) = scope()
        #expect(try allowing.value(for: \.limit) == 100)
        #expect(try allowing.value(for: \.retries) == 5)
        #expect(throws: ScopeError.self) { try other.value(for: \.limit) }
        #expect(throws: ScopeError.self) { try shared.value(for: \.limit) }
        #expect(try other.value(for: \.retries) == 0)
        #expect(try shared.value(for: \.retries) == 0)
        #expect(try allowing.value(for: \.retries) == 5)
        withExtendedLifetime((watch, otherWatch)) {}
    }

    @Test("A value for tests that the shared scope keeps is not given to the test that allows the live one")
    func allowedLast() throws {
        let (allowing, watch) = scope(allowing: [ScopeValues.limit.valueKey, ScopeValues.retries.valueKey])
        #expect(try shared.value(for: \.retries) == 0)
        #expect(try shared.value(for: PlaceKey.self) == "no limit")
        #expect(try allowing.value(for: \.retries) == 5)
        #expect(try allowing.value(for: PlaceKey.self) == "up to 100")
        withExtendedLifetime(watch) {}
    }

    @Test("A read that waits for the build of another test does not fail for a default that only that one forbids")
    func waiting() throws {
        let (allowing, watch) = scope(allowing: [ScopeValues.limit.valueKey])
        let (other, otherWatch) = scope()
        let (hasFailed, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        shared.provide(AmountKey.self) { scope in
            do { return try scope.value(for: \.limit) } catch {
                hasFailed.signal()
                while scope.build?.withShared({ $0.waiting.isEmpty }) == true { sched_yield() }
                throw error
            }
        }
        DispatchQueue(label: "other").async {
            _ = try? other.value(for: AmountKey.self)
            isOver.signal()
        }
        hasFailed.wait()
        #expect(try allowing.value(for: AmountKey.self) == 100)
        isOver.wait()
        withExtendedLifetime((watch, otherWatch)) {}
    }

    private enum AmountKey: ScopeKey { static let defaultValue = 0 }

    @Test("What is built with an allowed default is not kept for the others")
    func builtFromAllowed() throws {
        let (allowing, watch) = scope(allowing: [ScopeValues.limit.valueKey])
        let (other, otherWatch) = scope()
        #expect(try allowing.value(for: PlaceKey.self) == "up to 100")
        #expect(try other.value(for: PlaceKey.self) == "no limit")
        #expect(try shared.value(for: PlaceKey.self) == "no limit")
        withExtendedLifetime((watch, otherWatch)) {}
    }

    @Test("It is built once for the test and the scopes below it")
    func once() throws {
        let (allowing, watch) = scope(allowing: [CountedKey.valueKey])
        let runs = CountedKey.runs.value
        _ = try EnvironmentScope.empty("child", parent: allowing).value(for: CountedKey.self)
        _ = try EnvironmentScope.empty("child", parent: allowing).value(for: CountedKey.self)
        _ = try allowing.value(for: CountedKey.self)
        #expect(CountedKey.runs.value == runs + 1)
        withExtendedLifetime(watch) {}
    }

    private struct CountedKey: ScopeKey {
        static let runs = Box(0)
        static var valueKey: ValueKey { ValueKey.key(of: CountedKey.self) }
        static var defaultValue: Int {
            runs.update { $0 += 1 }
            return 1
        }
    }
}

@Suite("How strict a test is")
struct StrictnessTests {
    @Test("Nothing is said of what a trait of several tests sets, unless the test asks", .withoutIssues, .full)
    func sharedTrait() { #expect(EnvironmentScope.current.port == 1) }

    @Test(
        "Asked for, it is a warning",
        .issues { issues in #expect(issues.map(\.isFailure) == [false]) },
        .full,
        .scope(strictness: ScopeStrictness(unreadValues: .warnings))
    )
    func asked() {}

    private static let kept = Box<[EnvironmentScope]>([])

    @Test("Turned off, nothing is said", .withoutIssues, .scope(strictness: .off) { $0.port = 1 })
    func off() { Self.keep() }

    @Suite(.issues { issues in #expect(issues.map(\.isFailure) == [true]) }, .scope(strictness: .failures))
    struct Strict {
        @Test("What the suite says holds where the test says nothing of that report")
        func inherited() { StrictnessTests.keep() }

        @Test(
            "The test's own word counts, for the report it is of",
            .scope(strictness: ScopeStrictness(unreadValues: .off)) { $0.port = 1 }
        )
        func one() { StrictnessTests.keep() }
    }

    @Suite(.withoutIssues, .scope(strictness: .failures))
    struct Relaxed {
        @Test("A test can be less strict than its suite", .scope(strictness: .off))
        func off() { StrictnessTests.keep() }
    }

    /// Lets the scope of the test survive it.
    private static func keep() { kept.update { [scope = EnvironmentScope.current] in $0.append(scope) } }
}

extension Trait where Self == ScopeTrait {
    fileprivate static var full: Self {
        .scope {
            $0.port = 1
            $0.host = "shop.test"
            $0.user = User(name: "Ada")
        }
    }
}

extension ScopeValues {
    fileprivate static let limit = ScopeValue(100)
    fileprivate static let unit = ScopeValue("EUR")
    fileprivate static let retries = ScopeValue(5, inTests: 0)
}

@Suite("A forbidden default that is read through an alias")
struct AliasedDefaultTests {
    @Test(
        "It is given and reported as another one, with the name that allows it",
        .issues { issues in
            #expect(issues.count == 1)
            #expect(issues.first?.text.hasPrefix("No value for limitAlias (Int)") == true)
            #expect(issues.first?.text.contains("or allow its default there (allowing: \\.mainLimit)") == true)
        },
        .scope(defaults: .forbidden)
    )
    func given() {
        EnvironmentScope.current.alias(\.limitAlias, to: \.mainLimit)
        #expect(EnvironmentScope.current.limitAlias == 100)
        #expect(EnvironmentScope.current.mainLimit == 100)
    }
}

extension ScopeValues {
    fileprivate static let mainLimit = ScopeValue(100, name: "mainLimit")
    fileprivate static let limitAlias = ScopeValue<Int>.required(name: "limitAlias")
}
