import ScopedInjection
import Testing

extension ScopeValues {
    /// Registers a cleanup only where the port is set.
    fileprivate static var seldom: ScopeValue<String> {
        .lazy { reader in
            let port = try reader.port
            if port != 8080 { reader.onClose {} }
            return "at \(port)"
        }
    }
    fileprivate static var codes: ScopeValue<Box<[ScopeError.Code?]>> { .required() }
    fileprivate static var part: ScopeValue<Product> { .lazy(.transient) { $0.withCleanup(Product("")) } }
    /// Its cleanup reads what registers cleanups, in the last turns.
    fileprivate static var late: ScopeValue<Product> {
        .lazy { reader in
            let codes = try reader.codes
            reader.onClose {
                let scope = EnvironmentScope.current
                func code<Value>(_ value: ValueName<Value>) -> ScopeError.Code? {
                    do throws(ScopeError) { _ = try scope.value(for: value) } catch { return error.code }
                    return nil
                }
                let found = [code(\.part), code(\.cleaned)]
                codes.update { $0 = found }
            }
            return Product("")
        }
    }
    fileprivate static var cleaned: ScopeValue<Product> { .lazy { $0.withCleanup(Product("")) } }
}

@Suite("R11: whether a read fails in a closed scope is judged by what it reads there", .programRoots)
struct ClosedHereTests {
    @Test("What needs no cleanup here is given, whatever the builder has registered elsewhere before")
    func registeredElsewhere() async throws {
        for _ in 0..<2 {
            let closed = EnvironmentScope.empty("closed", parent: nil)
            await closed.close()
            #expect(try closed.value(for: \.seldom) == "at 8080")
            let other = EnvironmentScope("other", parent: nil) { $0.port = 1 }
            #expect(other.seldom == "at 1")
            await other.close()
            #expect(throws: ScopeError.self) { try other.value(for: \.seldom) }
        }
    }

    @Test("What a transient value registers is refused as what a kept one does, in the last turns of a closing, too")
    func transientInLastTurns() async {
        for _ in 0..<2 {
            let codes = Box<[ScopeError.Code?]>([])
            let app = EnvironmentScope("app", parent: nil) { $0.codes = codes }
            app.onClose { [unowned app] in _ = app.late }
            await app.close()
            #expect(codes.value == [.closed, .closed])
        }
    }
}
