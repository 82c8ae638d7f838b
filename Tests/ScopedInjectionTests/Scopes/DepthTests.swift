import ScopedInjection
import Testing

private func useScopes(inRow count: Int, onStackOf size: Int = 512 * 1024) {
    onSmallStack(size) {
        var scopes = [EnvironmentScope("root", parent: nil) { $0.port = 5 }]
        scopes[0].provide(\.host) { "host \(try $0.port)" }
        for number in 1..<count { scopes.append(.empty(parent: scopes[number - 1])) }
        let leaf = scopes[count - 1]
        precondition(leaf.port == 5)
        precondition(leaf.host == "host 5")
        precondition(leaf { EnvironmentScope.current.port } == 5)
        let bound = leaf.bind { () -> Int in Injected(\.port)() }
        let reference = Injected(\.port, scope: leaf)
        scopes[count / 2].port = 6
        precondition(leaf.port == 6)
        precondition(bound() == 6)
        precondition(reference() == 6)
        precondition(leaf.host == "host 6")
        scopes = []
        precondition(bound() == 6)
        precondition(reference() == 6)
    }
}

@Suite("R6: ten thousand scopes in a row work, and take no stack", .programRoots)
struct DepthTests {
    @Test("Scopes in a row are made, entered, bound, read, changed and released", arguments: [2, 50])
    func scopes(count: Int) { useScopes(inRow: count) }

    @Test("Ten thousand scopes in a row are made, entered, bound, read, changed and released")
    func manyScopes() async {
        await #expect(processExitsWith: .success) {
            #if DEBUG
                // Each that goes looks at all further out, which takes a sanitizer minutes. There is as little stack for one of them.
                useScopes(inRow: 2_500, onStackOf: 128 * 1024)
            #else
                useScopes(inRow: 10_000)
            #endif
        }
    }

    @Test("A thousand values, each built from the one before, are built and checked again") func values() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        let row = makeRow(1_000)
        // From the first one on, because a builder that reads the next value nests on the stack.
        for (number, value) in row.enumerated() { #expect(app[value] == number) }
        app.port = 1
        #expect(request[row[999]] == 999)
        app[row[0]] = 10_000
        for (number, value) in row.enumerated() { #expect(request[value] == 10_000 + number) }
    }
}
