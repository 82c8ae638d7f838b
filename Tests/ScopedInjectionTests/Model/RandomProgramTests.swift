import Foundation
import ScopedInjection
import Testing

/// Reads a number from the environment.
func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment["SCOPED_INJECTION_MODEL_\(name)"].flatMap { Int($0) }
}

/// Runs random programs until enough steps are checked, and reports the first failing one, shrunk as far as possible.
///
/// `SCOPED_INJECTION_MODEL_STEPS` is the number of steps, `SCOPED_INJECTION_MODEL_SEED` the first seed.
/// `SCOPED_INJECTION_MODEL_TRACE` is a path to which each seed is written before its program runs, to find a program
/// that ends the process.
private func runRandomPrograms(_ features: Program.Features) async {
    let kindCount = 7
    #if DEBUG
        let usual = 6_000
    #else
        let usual = 100_000
    #endif
    let wanted = (number("STEPS") ?? usual) / kindCount
    let trace = ProcessInfo.processInfo.environment["SCOPED_INJECTION_MODEL_TRACE"]
    var seed = UInt64(number("SEED") ?? 0)
    var checked = 0
    while checked < wanted {
        if let trace { try? Data("seed \(seed)".utf8).write(to: URL(fileURLWithPath: "\(trace)-\(features.rawValue)")) }
        let program = Program(seed: seed, features)
        do throws(Runner.Mismatch) {
            checked += try await Runner.run(program)
        } catch {
            let small = await program.shrunk { candidate in
                do throws(Runner.Mismatch) { try await Runner.run(candidate) } catch { return true }
                return false
            }
            var reason = "\(error)"
            do throws(Runner.Mismatch) { try await Runner.run(small) } catch { reason = "\(error)" }
            Issue.record("\(reason)\n\(small)")
            return
        }
        seed += 1
    }
    #expect(checked >= wanted)
}

// Each in a process of its own, because the global scope belongs to the whole process, and so that two run at once.
//
// Ten million steps: SCOPED_INJECTION_MODEL_STEPS=10000000 swift test -c release --filter RandomProgramTests
@Suite("R1, R2, R3, R6, R11, R12, R13, R14: after each step of a random program every read is as the model says")
struct RandomProgramTests {
    @Test("Values, builders and new parents")
    func plain() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([])
        }
    }

    @Test("With closed scopes and replaced global scopes")
    func global() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.global, .closing])
        }
    }

    @Test("With policies and closed scopes")
    func policies() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.policies, .closing])
        }
    }

    @Test("With aliases, decorations and values that need themselves")
    func aliases() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.aliases, .decorations, .cycles])
        }
    }

    @Test("With cleanups")
    func cleanups() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.cleanups, .closing, .decorations])
        }
    }

    @Test("With all there is")
    func all() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms([.global, .closing, .policies, .aliases, .decorations, .cleanups, .cycles])
        }
    }

    @Test("With more values than a mask has bits")
    func many() async {
        await #expect(processExitsWith: .success) {
            await runRandomPrograms(
                [.global, .closing, .policies, .aliases, .decorations, .cleanups, .cycles, .manyValues]
            )
        }
    }
}
