import Foundation
import ScopedInjection
import Testing

/// Runs random programs until enough steps are checked, and reports the first failing one, shrunk as far as possible.
///
/// `SCOPED_INJECTION_MODEL_STEPS` is the number of steps, `SCOPED_INJECTION_MODEL_SEED` the first seed.
/// `SCOPED_INJECTION_MODEL_TRACE` is a path to which each seed is written before its program runs, to find a program
/// that ends the process.
func runRandomPrograms(_ features: Program.Features, share: Int, from first: UInt64) async {
    let environment = ProcessInfo.processInfo.environment
    #if DEBUG
        let usual = 4_000
    #else
        let usual = 520_000
    #endif
    let wanted = (environment["SCOPED_INJECTION_MODEL_STEPS"].flatMap { Int($0) } ?? usual) / share
    var seed = (environment["SCOPED_INJECTION_MODEL_SEED"].flatMap { UInt64($0) } ?? 0) + first
    var checked = 0
    while checked < wanted {
        if let trace = environment["SCOPED_INJECTION_MODEL_TRACE"] {
            try? Data("seed \(seed)".utf8).write(to: URL(fileURLWithPath: "\(trace)-\(features.rawValue)"))
        }
        let program = Program(seed: seed, features: features)
        do throws(Runner.Mismatch) {
            checked += try await Runner.run(program)
        } catch {
            let small = await program.shrunk { candidate in
                do throws(Runner.Mismatch) {
                    try await Runner.run(candidate)
                    return false
                } catch {
                    return true
                }
            }
            var reason = "\(error)"
            do throws(Runner.Mismatch) { try await Runner.run(small) } catch { reason = "\(error)" }
            Issue.record("seed \(seed): \(reason)\n\(small)")
            return
        }
        seed += 1
    }
    #expect(checked >= wanted)
}

// Each in a process of its own, because the global scope belongs to the whole process, and so that two run at once.
//
// A billion steps: SCOPED_INJECTION_MODEL_STEPS=1000000000 swift test -c release --filter RandomProgramTests
@Suite("R1, R2, R3, R4, R11, R12, R13, R14: after each step of random programs every read equals a naive evaluation")
struct RandomProgramTests {
    @Test("Values, builders and new parents")
    func plain() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([], share: 8, from: 0)
        }
    }

    @Test("With closed scopes and replaced global scopes")
    func global() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.global, .closing], share: 8, from: 1 << 40)
        }
    }

    @Test("With policies and closed scopes")
    func policies() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.policies, .closing], share: 8, from: 2 << 40)
        }
    }

    @Test("With aliases and builders that inherit")
    func aliases() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.aliases, .inheriting], share: 8, from: 4 << 40)
        }
    }

    @Test("With builders that capture scopes")
    func captures() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.capturing, .closing], share: 8, from: 5 << 40)
        }
    }

    @Test("With builders that ask scopes for their parents")
    func questions() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.global, .closing, .capturing, .asking], share: 8, from: 6 << 40)
        }
    }

    @Test("With builders that make scopes")
    func made() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms(
                [.global, .policies, .capturing, .asking, .making],
                share: 8,
                from: 7 << 40
            )
        }
    }

    @Test("With all there is, but for scopes that builders make")
    func all() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms(
                [.global, .closing, .policies, .aliases, .inheriting, .capturing, .asking],
                share: 8,
                from: 3 << 40
            )
        }
    }
}
