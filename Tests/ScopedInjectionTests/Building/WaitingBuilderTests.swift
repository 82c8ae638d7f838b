import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let first = ScopeValue<String>.required(name: "first")
    fileprivate static let second = ScopeValue<String>.required(name: "second")
    fileprivate static let third = ScopeValue<String>.required(name: "third")
}

/// Builders that wait for a thread of their own, on which another builder reads through their scope.
@Suite("R6: a value that needs itself by way of another thread's builder is a cycle", .timeLimit(.minutes(2)))
struct WaitingBuilderTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let alone = EnvironmentScope.empty("alone", parent: nil)
    /// The scope through which the other thread reads.
    private let way = Box<EnvironmentScope?>(nil)

    struct Again: Error {}

    enum Way: CaseIterable {
        case builder, child, grandchild
    }

    private static func elsewhere(_ read: @escaping @Sendable () throws -> String) throws -> String {
        let result = Box<Result<String, any Error>?>(nil)
        onThread { result.value = Result { try read() } }.wait()
        return try #require(result.value).get()
    }

    /// Provides a first value that waits for another thread to read the second one in the standalone scope.
    private func provideFirst(_ way: Way) {
        let runs = Box(0)
        app.provide(\.first) { [alone, box = self.way] scope in
            // A thread that builds the value a second time must not wait for the other builder: nothing tells of that wait.
            let isFirst = runs.update {
                $0 += 1; return $0 == 1
            }
            guard isFirst else { throw Again() }
            let own = EnvironmentScope.empty("own", parent: scope)
            let further = EnvironmentScope.empty("further", parent: own)
            box.value =
                switch way {
                case .builder: scope
                case .child: own
                case .grandchild: further
                }
            defer { box.value = nil }
            return try Self.elsewhere { try alone.value(for: \.second) }
        }
    }

    private func read() -> ScopeError? {
        do throws(ScopeError) {
            Issue.record("the value \(try app.value(for: \.first))")
            return nil
        } catch {
            return error
        }
    }

    @Test("It reads the value itself", arguments: Way.allCases)
    func itself(_ through: Way) throws {
        provideFirst(through)
        alone.provide(\.second) { [way] _ in try #require(way.value).value(for: \.first) }
        let error = try #require(read())
        #expect(error.code == .cycle)
        #expect(error.path.suffix(2) == ["first", "first"])
    }

    @Test("It reads a value that is built from it", arguments: Way.allCases)
    func byAnother(_ through: Way) throws {
        provideFirst(through)
        alone.provide(\.second) { [way] _ in try #require(way.value).value(for: \.third) }
        app.provide(\.third) { scope in try scope.value(for: \.first) }
        let error = try #require(read())
        #expect(error.code == .cycle)
        #expect(error.path.suffix(3) == ["first", "third", "first"])
    }

    @Test("It waits for a third thread, which waits for the first one: all three end", arguments: Way.allCases)
    func byWaiting(_ through: Way) throws {
        provideFirst(through)
        let begun = Gate()
        let reads = Gate()
        alone.provide(\.second) { [way] _ in
            begun.wait()
            reads.open()
            return try #require(way.value).value(for: \.third)
        }
        app.provide(\.third) { scope in
            begun.open()
            reads.wait()
            return try scope.value(for: \.first)
        }
        let outcome = Box<ScopeError?>(nil)
        let third = onThread { [app] in
            do throws(ScopeError) { _ = try app.value(for: \.third) } catch { outcome.value = error }
        }
        let error = try #require(read())
        third.wait()
        // Whichever of the two threads finds that it must not wait builds what it waits for itself.
        #expect(error.code == .cycle || error.underlyingError is Again)
        #expect(outcome.value != nil)
    }

    @Test("What it reads there without needing the value is no cycle", arguments: Way.allCases)
    func noCycle(_ through: Way) throws {
        provideFirst(through)
        alone.provide(\.second) { [way] _ in try #require(way.value).value(for: \.third) }
        app.provide(\.third) { _ in "third" }
        #expect(try app.value(for: \.first) == "third")
        #expect(app.localValue(for: \.third) == "third")
    }
}
