import Client
public import Harness
public import ScopedInjection

extension Fixture {
    /// The reads that have limits, by what is read and where.
    public var reads: [(name: String, operation: Operation)] {
        let (app, handler, bound) = (app, handler, boundHandler)
        return [
            ("entered scope, integer", Operation(in: app) { handler.readPort($0) }),
            ("entered scope, object", Operation(in: app) { handler.readService($0) }),
            ("entered scope, existential", Operation(in: app) { handler.readGreeter($0) }),
            ("entered scope, optional value", Operation(in: app) { handler.readUser($0) }),
            ("entered scope, five words", Operation(in: app) { handler.readFiveWords($0) }),
            ("entered scope, kept default", Operation(in: app) { handler.readConstant($0) }),
            ("entered scope, kept default built from another value", Operation(in: app) { handler.readDerived($0) }),
            ("nothing entered, integer in global", Operation { handler.readPort($0) }),
            ("nothing entered, object in global", Operation { handler.readService($0) }),
            ("nothing entered, kept default in global", Operation { handler.readDerived($0) }),
            ("reference with a scope of its own, integer", Operation { bound.readPort($0) }),
            ("reference with a scope of its own, object", Operation { bound.readService($0) }),
        ]
    }
}

extension Operation {
    /// An operation that is done with a scope entered.
    public init(in scope: EnvironmentScope, _ body: @escaping @Sendable (Int) -> Void) {
        self.init(around: { inside in scope { inside() } }, body)
    }
}
