import Client
public import Harness
public import ScopedInjection

extension Fixture {
    /// A read, what it may take and how it is done.
    public struct Read: Sendable {
        /// What is read, and where.
        public let name: String
        /// What it may take in times, where that is laid down.
        public let limit: Limit?
        /// The reads, one after the other.
        public let operation: Operation
    }

    /// The reads through references, by what is read and where.
    public var reads: [Read] { entered + oneUp + global + bound }

    private var entered: [Read] {
        let (place, handler) = ("entered scope", handler)
        let parts: [(String, @Sendable (Int) -> Void)] = [
            ("a longer path, \\.user?.id", handler.readUserID),
            ("a function, { $0.user?.id }", handler.readUserIDByFunction),
        ]
        return kinds(in: place, app, .atMost(2.3, aim: 1.8))
            + parts.map { Read(name: "\(place), \($0.0)", limit: nil, operation: Operation(in: app, $0.1)) }
    }

    private var oneUp: [Read] {
        kinds(in: "one scope up", descendant(1), .atMost(2.4, aim: 1.9))
    }

    private func kinds(in place: String, _ scope: EnvironmentScope, _ limit: Limit) -> [Read] {
        let handler = handler
        let reads: [(String, @Sendable (Int) -> Void)] = [
            ("integer", handler.readPort), ("object", handler.readService), ("existential", handler.readGreeter),
            ("optional value", handler.readUser), ("five words", handler.readFiveWords),
            ("kept default", handler.readConstant),
            ("kept default built from another value", handler.readDerived),
        ]
        return reads.map { Read(name: "\(place), \($0.0)", limit: limit, operation: Operation(in: scope, $0.1)) }
    }

    private var global: [Read] {
        let handler = handler
        return [
            Read(
                name: "nothing entered, integer in global",
                limit: .atMost(2.5),
                operation: Operation(handler.readPort)
            ),
            Read(
                name: "nothing entered, object in global",
                limit: .atMost(2.5),
                operation: Operation(handler.readService)
            ),
            Read(
                name: "nothing entered, kept default in global",
                limit: .atMost(2.5),
                operation: Operation(handler.readDerived)
            ),
        ]
    }

    private var bound: [Read] {
        let (bound, lent) = (boundHandler, lentHandler)
        let place = "reference with a scope of its own"
        return [
            Read(name: "\(place), integer", limit: .atMost(2.5), operation: Operation(bound.readPort)),
            Read(name: "\(place), object", limit: .atMost(2.5), operation: Operation(bound.readService)),
            Read(name: "\(place), optional value", limit: .atMost(2.5), operation: Operation(bound.readUser)),
            Read(name: "\(place), which it does not own", limit: .atMost(2.5), operation: Operation(lent.readPort)),
            Read(name: "\(place), a longer path, \\.user?.id", limit: nil, operation: Operation(bound.readUserID)),
        ]
    }
}

extension Operation {
    /// An operation that is done with a scope entered.
    public init(in scope: EnvironmentScope, _ body: @escaping @Sendable (Int) -> Void) {
        self.init(around: { inside in scope { inside() } }, body)
    }
}
