internal import BlackHole
public import ScopedInjection

/// What a server does whose requests have something to do when they end, `count` times one after the other.
public struct EndingRequests: Sendable {
    @Injected(\.requestID) var requestID
    @Injected(\.port) var port
    @Injected(\.adminPort) var adminPort
    @Injected(\.numbered) var numbered
    @Injected(\.span) var span
    @Injected(\.closedSpan) var closedSpan
    @Injected(\.connection) var connection

    /// Creates the references that requests read.
    public init() {}

    /// Makes a scope with one value, enters it and reads that; lets go of it without closing it.
    @inline(never)
    public nonisolated(nonsending) func serve(under parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count { withExtendedLifetime(request(number, under: parent)) {} }
    }

    /// Does the same, and closes the scope.
    @inline(never)
    public nonisolated(nonsending) func serveAndClose(under parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count { await request(number, under: parent).close() }
    }

    /// Makes a scope with one value and a cleanup, enters it, reads the value, and closes the scope.
    @inline(never)
    public nonisolated(nonsending) func serveWithCleanup(under parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count {
            let request = EnvironmentScope("request", parent: parent) { request in
                request.requestID = number
                request.onClose { blackHole(number) }
            }
            request { blackHole(requestID) }
            await request.close()
        }
    }

    /// Does the same with a cleanup that has to be awaited.
    @inline(never)
    public nonisolated(nonsending) func serveWithAwaitedCleanup(under parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count {
            let request = EnvironmentScope("request", parent: parent) { request in
                request.requestID = number
                request.onClose { await Self.end(number) }
            }
            request { blackHole(requestID) }
            await request.close()
        }
    }

    @inline(never)
    private nonisolated(nonsending) static func end(_ number: Int) async { blackHole(number) }

    /// Makes a scope with one value by `withChild`, and reads it there.
    @inline(never)
    public nonisolated(nonsending) func serveWithChild(of parent: EnvironmentScope, _ count: Int) async {
        await serve(childrenOf: parent, count) { blackHole(requestID) }
    }

    /// The same, and reads an integer of its parent instead.
    @inline(never)
    public nonisolated(nonsending) func serveWithChildParentsValue(of parent: EnvironmentScope, _ count: Int) async {
        await serve(childrenOf: parent, count) { blackHole(port) }
    }

    /// The same, and reads a service that is built from its value and a number of the parent's.
    @inline(never)
    public nonisolated(nonsending) func serveWithChildAndService(of parent: EnvironmentScope, _ count: Int) async {
        await serve(childrenOf: parent, count) { blackHole(numbered.number) }
    }

    // Inlined, so that each of them has a loop of its own.
    @inline(__always)
    private nonisolated(nonsending) func serve(
        childrenOf parent: EnvironmentScope,
        _ count: Int,
        _ read: () -> Void
    ) async {
        for number in 0..<count {
            await parent.withChild("request") {
                $0.requestID = number
            } operation: {
                read()
            }
        }
    }

    /// The same, with a cleanup.
    @inline(never)
    public nonisolated(nonsending) func serveWithChildAndCleanup(of parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count {
            await parent.withChild("request") { request in
                request.requestID = number
                request.onClose { blackHole(number) }
            } operation: {
                blackHole(requestID)
            }
        }
    }

    /// The same, and makes, enters, reads and closes a child of it.
    @inline(never)
    public nonisolated(nonsending) func serveWithChildAndPart(of parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count {
            await parent.withChild("request") {
                $0.requestID = number
            } operation: {
                await EnvironmentScope.current.withChild("part") {
                    $0.adminPort = number
                } operation: {
                    blackHole(adminPort)
                }
            }
        }
    }

    /// Makes a scope with one value, enters it, and reads a value that is built from it; closes the scope.
    @inline(never)
    public nonisolated(nonsending) func buildAndClose(under parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count {
            let request = EnvironmentScope("request", parent: parent) { $0.requestID = number }
            request { blackHole(span.number) }
            await request.close()
        }
    }

    /// Does the same with a value whose builder registers a cleanup.
    @inline(never)
    public nonisolated(nonsending) func buildWithCleanup(under parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count {
            let request = EnvironmentScope("request", parent: parent) { $0.requestID = number }
            request { blackHole(closedSpan.number) }
            await request.close()
        }
    }

    /// Makes a scope with one value, enters it, and reads a value of its parent whose builder registered a cleanup there.
    @inline(never)
    public nonisolated(nonsending) func readParentsConnection(under parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count {
            let request = EnvironmentScope("request", parent: parent) { $0.requestID = number }
            request { blackHole(connection.number) }
        }
    }

    /// Makes a scope with one value, enters it and reads that; then makes, enters, reads and closes a child of it.
    @inline(never)
    public nonisolated(nonsending) func serveWithPart(under parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count {
            let request = request(number, under: parent)
            await readAndClose(part(of: request, number))
        }
    }

    /// Does the same, and the child has a child.
    @inline(never)
    public nonisolated(nonsending) func serveWithPartOfPart(under parent: EnvironmentScope, _ count: Int) async {
        for number in 0..<count {
            let request = request(number, under: parent)
            let part = part(of: request, number)
            await readAndClose(self.part(of: part, number))
            await readAndClose(part)
        }
    }

    @inline(__always)
    private func request(_ number: Int, under parent: EnvironmentScope) -> EnvironmentScope {
        let request = EnvironmentScope("request", parent: parent) { $0.requestID = number }
        request { blackHole(requestID) }
        return request
    }

    @inline(__always)
    private func part(of request: EnvironmentScope, _ number: Int) -> EnvironmentScope {
        EnvironmentScope("part", parent: request) { $0.adminPort = number }
    }

    @inline(__always)
    private nonisolated(nonsending) func readAndClose(_ part: EnvironmentScope) async {
        part { blackHole(adminPort) }
        await part.close()
    }
}

extension ScopeValues {
    fileprivate static var span: ScopeValue<Service> { .lazy { try Service(number: $0.requestID) } }
    fileprivate static var closedSpan: ScopeValue<Service> {
        .lazy { reader in
            let service = try Service(number: reader.requestID)
            reader.onClose { blackHole(service.number) }
            return service
        }
    }
    fileprivate static var connection: ScopeValue<Service> {
        .lazy { reader in
            let service = try Service(number: reader.port)
            reader.onClose { blackHole(service.number) }
            return service
        }
    }
}
