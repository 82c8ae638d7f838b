import ScopedInjection
import ScopedInjectionTesting
import Testing

// What the page "Migrating from other containers" says of Factory and Swinject.

nonisolated private protocol Clock: Sendable { var name: String { get } }
nonisolated private struct LiveClock: Clock { let name = "live" }
nonisolated private struct TestsClock: Clock { let name = "test" }

nonisolated private final class Node: Sendable {}

nonisolated private final class Left: Sendable {
    let node: Node
    init(node: Node) { self.node = node }
}

nonisolated private final class Right: Sendable {
    let node: Node
    let left: Left
    init(node: Node, left: Left) { (self.node, self.left) = (node, left) }
}

nonisolated private final class House: Sendable {
    let room: Room
    init(room: Room) { self.room = room }
}

nonisolated private final class Room: Sendable { let house = Injected(\.house) }

nonisolated extension ScopeRole {
    fileprivate static var graph: ScopeRole { ScopeRole() }
}

nonisolated extension ScopeValues {
    fileprivate static var clock: ScopeValue<any Clock> { .lazy(inTests: TestsClock()) { _ in LiveClock() } }
    fileprivate static var promised: ScopeValue<any Clock> { .required() }
    fileprivate static var greeting: ScopeValue<@Sendable (String) -> String> {
        .lazy {
            let clock = try $0.clock
            return { "\($0) at \(clock.name)" }
        }
    }
    fileprivate static var node: ScopeValue<Node> { .lazy(.once(in: .graph)) { _ in Node() } }
    fileprivate static var left: ScopeValue<Left> { .lazy { Left(node: try $0.node) } }
    fileprivate static var right: ScopeValue<Right> { .lazy { Right(node: try $0.node, left: try $0.left) } }
    fileprivate static var house: ScopeValue<House> { .lazy { House(room: try $0.room) } }
    fileprivate static var room: ScopeValue<Room> { .lazy { _ in Room() } }
}

@Suite("What Factory and Swinject have, in scopes")
struct OtherContainersTests {
    // As a program makes it; in a test it would report what it gives by default.
    let app = EnvironmentScope.empty("app", role: .application, parent: nil, defaults: .allowed)

    @Test(.scope())
    func aTestIsGivenAnotherDefaultAsInTheContextOfTests() {
        #expect(EnvironmentScope.current.clock.name == "test")
        #expect(app.clock.name == "live")
    }

    @Test func aPromisedValueIsProvidedByTheProgram() throws {
        #expect(throws: ScopeError.self) { try app.validate(\.promised) }
        app.provide(\.promised) { try $0.clock }
        #expect(app.promised.name == "live")
    }

    @Test func aFunctionTakesTheParametersOfAFactory() {
        #expect(app.greeting("hello") == "hello at live")
    }

    @Test func aChildScopeIsAGraphWithOneOfEachValueThatStaysInIt() {
        let graphs = (0..<2).map { _ in EnvironmentScope.empty("graph", role: .graph, parent: app) }
        for graph in graphs {
            #expect(graph.right.node === graph.node && graph.right.left.node === graph.node)
        }
        #expect(graphs[0].node !== graphs[1].node)
    }

    @Test func twoThatReferToEachOtherAreNoCircle() {
        let house = app.house
        #expect(app { house.room.house() } === house)
    }

    @Test func aBoundReferenceDoesNotSeeWhatAScopeSetsThatIsEnteredLater() {
        let reference = Injected(\.clock, scope: app)
        let later = EnvironmentScope("later", parent: app) { $0.clock = TestsClock() }
        #expect(later { reference().name } == "live")
        #expect(later { Injected(\.clock)().name } == "test")
    }
}
