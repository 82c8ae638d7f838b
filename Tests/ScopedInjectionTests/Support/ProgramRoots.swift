import ScopedInjection
import Testing

/// Lets scopes without a parent be as in a program, for the whole process: they give their defaults, and no test is told.
struct ProgramRoots: SuiteTrait, TestTrait {
    func prepare(for test: Test) async throws { _ = TestProcess.hook?.say(.allowed) }
}

extension Trait where Self == ProgramRoots { static var programRoots: ProgramRoots { ProgramRoots() } }
