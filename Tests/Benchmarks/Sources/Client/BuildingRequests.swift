internal import BlackHole
public import ScopedInjection

/// What a server does whose services are built for each request, `count` times one after the other.
public struct BuildingRequests: Sendable {
    @Injected(\.requestID) var requestID
    @Injected(\.account) var account
    @Injected(\.basket) var basket
    @Injected(\.reply) var reply
    @Injected(\.numbered) var numbered
    @Injected(\.port) var port
    @Injected({ _ in Row.values[4] }) var fifthInRow
    @Injected({ _ in Row.values[32] }) var lastInRow
    let settings = TwentyReferences()

    /// Creates the references that requests read.
    public init() {}

    /// Makes a scope with one value, enters it and reads twenty values of its parent once each.
    @inline(never)
    public func readSettings(under parent: EnvironmentScope, _ count: Int) {
        for number in 0..<count { request(number, under: parent) { settings.readOnce() } }
    }

    /// Makes a scope with one value, enters it and reads that.
    @inline(never)
    public func readOwnValue(under parent: EnvironmentScope, _ count: Int) {
        for number in 0..<count { request(number, under: parent) { blackHole(requestID) } }
    }

    /// Makes a scope with one value, enters it and reads an integer of its parent.
    @inline(never)
    public func readParentsValue(under parent: EnvironmentScope, _ count: Int) {
        for number in 0..<count { request(number, under: parent) { blackHole(port) } }
    }

    /// Makes a scope with one value, enters it, reads that, and a service that is built from it and one of the parent's.
    @inline(never)
    public func buildOne(under parent: EnvironmentScope, _ count: Int) {
        for number in 0..<count { request(number, under: parent) { blackHole(requestID &+ account.id) } }
    }

    /// Makes a scope with one value, enters it, and reads a service that is built from it and a number of the parent's.
    ///
    /// An object of the parent's would be retained by all threads that build from it.
    @inline(never)
    public func buildOneFromNumbers(under parent: EnvironmentScope, _ count: Int) {
        for number in 0..<count { request(number, under: parent) { blackHole(numbered.number) } }
    }

    /// Makes a scope with two values, enters it, and reads two of five services that are built from each other, from
    /// those and from three of the parent's values.
    @inline(never)
    public func buildFive(under parent: EnvironmentScope, _ count: Int) {
        for number in 0..<count {
            let request = EnvironmentScope("request", parent: parent) {
                $0.requestID = number
                $0.userName = "ada"
            }
            request { blackHole(reply.number &+ basket.mail.number) }
        }
    }

    /// Makes a scope with one value, enters it, and builds five values in a row.
    @inline(never)
    public func buildFifthInRow(under parent: EnvironmentScope, _ count: Int) {
        for number in 0..<count { request(number, under: parent) { blackHole(fifthInRow.number) } }
    }

    /// Makes a scope with one value, enters it, and builds thirty-three values in a row.
    @inline(never)
    public func buildLastInRow(under parent: EnvironmentScope, _ count: Int) {
        for number in 0..<count { request(number, under: parent) { blackHole(lastInRow.number) } }
    }

    /// Gives a scope what requests have, and builds all that they build, so that the scope keeps it.
    public func buildAll(in scope: EnvironmentScope) {
        scope.requestID = 0
        scope { blackHole(reply.number &+ basket.mail.number &+ lastInRow.number) }
    }

    @inline(__always)
    private func request(_ number: Int, under parent: EnvironmentScope, _ body: () -> Void) {
        let request = EnvironmentScope("request", parent: parent) { $0.requestID = number }
        request(body)
    }
}

extension ScopeValues {
    static var numbered: ScopeValue<Service> { .lazy { try Service(number: $0.requestID &+ $0.port) } }
}
