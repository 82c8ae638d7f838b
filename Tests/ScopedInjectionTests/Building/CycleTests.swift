import ScopedInjection
import Testing

private enum AKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Int { try scope.value(for: BKey.self) + 1 }
}
private enum BKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Int { try scope.value(for: CKey.self) + 1 }
}
private enum CKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Int { try scope.value(for: AKey.self) + 1 }
}

/// The error of a read; nil if it returns a value.
private func codeOfRead<Key: ScopeKey>(_ key: Key.Type, in scope: EnvironmentScope) -> ScopeError.Code? {
    do {
        _ = try scope.value(for: key)
        return nil
    } catch {
        return error.code
    }
}

@Suite("R6: a value that needs itself is an error")
struct CycleTests {
    let scope = EnvironmentScope.empty("app", parent: nil)

    @Test("The error names the whole chain of keys")
    func chain() {
        let error = #expect(throws: ScopeError.self) { try scope.value(for: AKey.self) }
        #expect(error?.code == .cycle)
        #expect(error?.path == ["AKey", "BKey", "CKey", "AKey"])
    }

    @Test("Setting one of the keys ends the cycle")
    func setOne() throws {
        scope[CKey.self] = 10
        #expect(try scope.value(for: AKey.self) == 12)
        scope.removeValue(for: CKey.self)
        #expect(throws: ScopeError.self) { try scope.value(for: AKey.self) }
    }

    @Test("A builder that swallows the error of its own cycle gives no value, whichever key is read first")
    func swallowed() {
        enum FirstKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Int {
                ((try? scope.value(for: SecondKey.self)) ?? 0) + 1
            }
        }
        enum SecondKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Int {
                ((try? scope.value(for: FirstKey.self)) ?? 0) + 10
            }
        }
        for _ in 0..<2 {
            #expect(throws: ScopeError.self) { try scope.value(for: FirstKey.self) }
            #expect(throws: ScopeError.self) { try scope.value(for: SecondKey.self) }
        }
    }

    @Test("Builders that swallow the errors of their own cycle end all the same", arguments: [false, true])
    func swallowedAgain(inMadeScopes: Bool) throws {
        let runs = Box(0)
        let keys = Box<[ScopeValue<Int>]>([])
        keys.value = (0..<3).map { index in
            ScopeValue<Int>(name: "value \(index)") { scope in
                runs.update { $0 += 1 }
                // Otherwise it would not end before the test does.
                guard runs.value < 10_000 else { return 0 }
                for host in ["first", "second"] {
                    let next = keys.value[(index + 1) % 3]
                    let place = inMadeScopes ? EnvironmentScope("made", parent: scope) { $0.host = host } : scope
                    _ = try? place.value(for: next)
                }
                return index
            }
        }
        let error = #expect(throws: ScopeError.self) { try scope.value(for: keys.value[0]) }
        #expect(error?.code == .cycle)
        #expect(runs.value < 1_000)
    }

    @Test("A builder outside a cycle may catch its error")
    func outside() throws {
        enum OutsideKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Int { (try? scope.value(for: AKey.self)) ?? -1 }
        }
        #expect(try scope.value(for: OutsideKey.self) == -1)
        scope[BKey.self] = 1
        #expect(try scope.value(for: OutsideKey.self) == 2)
    }

    @Test("Two threads that start a cycle at different keys both end", arguments: 0..<50)
    func acrossThreads(round: Int) async {
        await onThreads(3) { [scope] index in
            let code =
                switch index {
                case 0: codeOfRead(AKey.self, in: scope)
                case 1: codeOfRead(BKey.self, in: scope)
                default: codeOfRead(CKey.self, in: scope)
                }
            if code != .cycle { Issue.record("\(String(describing: code))") }
        }
    }

    @Test("A cycle that two threads close while each builds is reported, not waited for")
    func meetingInTheMiddle() async {
        let aStarted = Gate()
        let bStarted = Gate()
        scope.provide(AKey.self) { scope in
            aStarted.open()
            bStarted.wait()
            return try scope.value(for: BKey.self)
        }
        scope.provide(BKey.self) { scope in
            bStarted.open()
            aStarted.wait()
            return try scope.value(for: AKey.self)
        }
        await onThreads(2) { [scope] index in
            let code = index == 0 ? codeOfRead(AKey.self, in: scope) : codeOfRead(BKey.self, in: scope)
            if code != .cycle { Issue.record("\(String(describing: code))") }
        }
        scope[AKey.self] = 1
        #expect(scope[BKey.self] == 1)
    }

    @Test("A builder that reads its own key through a task it waits for is a cycle")
    func throughTask() async {
        enum TaskKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) throws -> Int {
                let result = Box<Result<Int, ScopeError>?>(nil)
                let done = Gate()
                Task {
                    result.value = Result { () throws(ScopeError) in
                        try EnvironmentScope.current.value(for: TaskKey.self)
                    }
                    done.open()
                }
                done.wait()
                return try result.value?.get() ?? 0
            }
        }
        // On a thread outside the pool, because the builder blocks it until the pool has run the task.
        let code = await withCheckedContinuation { continuation in
            onThread { [scope] in continuation.resume(returning: codeOfRead(TaskKey.self, in: scope)) }
        }
        #expect(code == .cycle)
    }

    @Test("A value whose builder has thrown is read on a thread that this builder had started: no cycle")
    func thrownMeanwhile() throws {
        struct Failure: Error {}
        let app = EnvironmentScope.empty(parent: nil)
        let (begun, thrown) = (Gate(), Gate())
        let runs = Box(0)
        let result = Box<Int?>(nil)
        let thread = Box<Gate?>(nil)
        app.provide(AKey.self) { scope in
            let isFirst = runs.update {
                $0 += 1
                return $0 == 1
            }
            guard isFirst else { return 1 }
            thread.value = onThread { result.value = try? scope.value(for: BKey.self) }
            begun.wait()
            throw Failure()
        }
        app.provide(BKey.self) { scope in
            begun.open()
            thrown.wait()
            return try scope.value(for: AKey.self) + 1
        }
        #expect(throws: ScopeError.self) { try app.value(for: AKey.self) }
        thrown.open()
        try #require(thread.value).wait()
        #expect(result.value == 2)
    }

    @Test("Values that hold references to each other are no cycle")
    func mutualReferences() {
        final class E: Sendable { let f = Injected(key: FKey.self) }
        final class F: Sendable { let e = Injected(key: EKey.self) }
        enum EKey: ScopeKey { static func makeValue(in scope: EnvironmentScope) -> E { E() } }
        enum FKey: ScopeKey { static func makeValue(in scope: EnvironmentScope) -> F { F() } }
        scope {
            let e = scope[EKey.self]
            #expect(e.f().e() === e)
        }
    }

    @Test("A builder may read the same key in another scope")
    func decorating() {
        let app = EnvironmentScope.empty("app", parent: scope)
        let outer = scope
        app.provide(HostKey.self) { _ in "decorated " + outer.host }
        #expect(app.host == "decorated localhost")
    }

    @Test("Builders that read other keys in opposite orders never block each other", arguments: 0..<30)
    func oppositeOrders(round: Int) async {
        enum LeftKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Int {
                scope[BaseKey<Int>.self] + scope[BaseKey<Bool>.self]
            }
        }
        enum RightKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Int {
                scope[BaseKey<Bool>.self] + scope[BaseKey<Int>.self]
            }
        }
        enum BaseKey<T>: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> Int { scope.port }
        }
        let scope = EnvironmentScope.empty(parent: nil)
        await onThreads(4) { index in
            let sum = index % 2 == 0 ? scope[LeftKey.self] : scope[RightKey.self]
            if sum != 16160 { Issue.record("\(sum)") }
        }
    }
}
