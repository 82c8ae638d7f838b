internal import BlackHole
public import ScopedInjection

/// What a server does that sets objects for each request, `count` times one after the other.
public struct StoringRequests: Sendable {
    @Injected(\.service) var service
    @Injected(\.otherService) var otherService

    /// Creates the references that requests read.
    public init() {}

    /// Makes a scope with five objects, enters it and reads two of them.
    @inline(never)
    public func serveFiveObjects(under parent: EnvironmentScope, _ count: Int) {
        let (object, store, mail, calendar) = (Service(), Store(), Mail(), Calendar())
        for _ in 0..<count {
            let request = EnvironmentScope("request", parent: parent) {
                $0.service = object
                $0.otherService = object
                $0.store = store
                $0.mail = mail
                $0.calendar = calendar
            }
            request { blackHole(service.number &+ otherService.number) }
        }
    }
}
