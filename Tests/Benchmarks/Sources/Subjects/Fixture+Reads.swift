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
    public var reads: [Read] { entered + global + bound }

    private var entered: [Read] {
        let (place, handler) = ("entered scope", handler)
        let (number, other) = (Limit.atMost(2, aim: 1.35), Limit.atMost(2.3, aim: 1.8))
        let kinds: [(String, Limit?, @Sendable (Int) -> Void)] = [
            ("integer", number, handler.readPort), ("object", other, handler.readService),
            ("existential", other, handler.readGreeter), ("optional value", other, handler.readUser),
            ("five words", other, handler.readFiveWords), ("constant that nobody set", other, handler.readConstant),
            ("kept value built from another one", other, handler.readDerived),
            ("a longer path, \\.user?.id", nil, handler.readUserID),
            ("a function, { $0.user?.id }", nil, handler.readUserIDByFunction),
        ]
        return kinds.map { Read(name: "\(place), \($0.0)", limit: $0.1, operation: Operation(in: app, $0.2)) }
    }

    private var global: [Read] {
        let (place, limit) = ("nothing entered", Limit.atMost(2.3, aim: 1.5))
        return [
            Read(name: "\(place), integer in global", limit: limit, operation: Operation(handler.readPort)),
            Read(name: "\(place), object in global", limit: limit, operation: Operation(handler.readService)),
            Read(name: "\(place), kept value in global", limit: limit, operation: Operation(handler.readDerived)),
        ]
    }

    private var bound: [Read] {
        let (place, limit) = ("reference with a scope of its own", Limit.atMost(2.3, aim: 1.1))
        let (bound, lent) = (boundHandler, lentHandler)
        return [
            Read(name: "\(place), integer", limit: limit, operation: Operation(bound.readPort)),
            Read(name: "\(place), object", limit: limit, operation: Operation(bound.readService)),
            Read(name: "\(place), optional value", limit: limit, operation: Operation(bound.readUser)),
            Read(name: "\(place), which it does not own", limit: limit, operation: Operation(lent.readPort)),
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
