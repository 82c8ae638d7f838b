import ScopedInjection
import Testing

@Suite("Section 5: threads do not contend for what they read", .programRoots)
struct ThreadLinesTests {
    @Test("As many threads as there are lines have each a line of their own, but for a rare pair")
    func ownLines() async {
        await #expect(processExitsWith: .success) {
            let lines = Box<Set<Int>>([])
            let isHere = Gate()
            let count = Box(0)
            await onThreads(Lines.count) { _ in
                let line = Lines.shared.ofThread()
                lines.update { $0.insert(line) }
                // A thread that had ended would leave its memory, and with it its line, to a later one.
                count.update { $0 += 1 }
                if count.value == Lines.count { isHere.open() }
                isHere.wait()
                #expect(Lines.shared.ofThread() == line)
            }
            // Threads that were there before may have taken some.
            #expect(lines.value.count >= Lines.count - 8, "\(lines.value.sorted())")
        }
    }
}
