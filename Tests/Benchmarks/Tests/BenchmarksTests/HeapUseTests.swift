import Client
import Harness
import ScopedInjection
import Testing

@testable import Counts

@Suite("The heap is counted exactly", .enabled(if: HeapUse.isExact))
struct HeapUseTests {
    @Test(
        "A block that is kept is one allocation and its bytes; freeing it takes the bytes back",
        arguments: [8, 1_000_000]
    )
    func blocks(size: Int) {
        var block: UnsafeMutableRawPointer?
        let kept = HeapUse { block = .allocate(byteCount: size, alignment: 8) }
        #expect(kept.allocations == 1)
        #expect(kept.bytes >= size)
        let freed = HeapUse { block?.deallocate() }
        #expect(freed.allocations == 0)
        #expect(freed.bytes == -kept.bytes)
    }

    @Test("Blocks with a wide alignment count too")
    func alignedBlocks() {
        var block: UnsafeMutableRawPointer?
        let use = HeapUse { block = .allocate(byteCount: 256, alignment: 64) }
        #expect(use.allocations == 1)
        #expect(use.bytes >= 256)
        block?.deallocate()
    }

    @Test("An array that grows and goes leaves nothing behind")
    func growth() {
        let grow = Operation { count in
            for _ in 0..<count { withExtendedLifetime((0..<100).reduce(into: [Int]()) { $0.append($1) }) {} }
        }
        #expect(HeapUse.allocations(of: grow) > 1)
        #expect(HeapUse.growth(of: grow, rounds: 1_000) == 0)
    }

    @Test("What is left behind is seen")
    func leak() {
        let leak = Operation { count in
            for _ in 0..<count { _ = Unmanaged.passRetained(Service()) }
        }
        #expect(HeapUse.allocations(of: leak) == 1)
        #expect(HeapUse.growth(of: leak, rounds: 1_000) >= 24_000)
        #expect(HeapUse.bytes(per: { Service() }) >= 24)
    }

    @Test("What goes on around an operation is not counted")
    func around() {
        let operation = Operation(around: { inside in
            let service = Service()
            withExtendedLifetime(service, inside)
        }) { _ in }
        #expect(HeapUse.allocations(of: operation) == 0)
    }
}

@Suite("Reads of values that are there allocate nothing", .enabled(if: HeapUse.isExact))
struct ReadTests {
    private static let handler = Handler()

    private static let reads: [(name: String, read: @Sendable (Int) -> Void)] = [
        ("an integer", handler.readPort), ("an object", handler.readService), ("an existential", handler.readGreeter),
        ("an optional value", handler.readUser), ("five words", handler.readFiveWords),
        ("a kept default", handler.readDerived),
    ]

    // In a process of its own: once another test changes a shared scope, the next read of a built value looks at its inputs.
    @Test("In an entered scope, and in one far below that which has the value", arguments: reads.indices)
    func entered(index: Int) async {
        await #expect(processExitsWith: .success) { [index] in
            let app = EnvironmentScope("app", parent: nil) { setOneOfEach(in: $0) }
            let child = EnvironmentScope.empty("child", parent: app)
            let grandchild = EnvironmentScope.empty("grandchild", parent: child)
            for scope in [app, grandchild] {
                let read = Operation(around: { inside in scope { inside() } }, Self.reads[index].read)
                #expect(HeapUse.allocations(of: read) == 0)
                #expect(HeapUse.growth(of: read, rounds: 1_000) == 0)
            }
        }
    }
}
