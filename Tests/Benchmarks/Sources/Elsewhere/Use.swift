import Client
import ScopedInjection

/// What a program may make use of, beside what it measures.
enum Use: String, CaseIterable {
    case nothing
    case policy
    case observer
    case reference
    /// References that are bound to the parent of the requests themselves.
    case parentsReference

    /// Begins with it; what is returned has to be kept.
    ///
    /// - Parameter app: The parent of the requests.
    func begin(app: EnvironmentScope) -> Any {
        let tree = EnvironmentScope("another tree", parent: nil) { $0.service = Service() }
        let child = EnvironmentScope.empty("child", parent: tree, defaults: self == .policy ? .forbidden : nil)
        let handler = Handler()
        switch self {
        case .nothing: break
        case .policy: break
        case .observer: tree.observe { _ in }
        case .reference: tree.replace(in: handler)
        case .parentsReference: app.replace(in: handler)
        }
        // Whoever pays when it is used for the first time has paid.
        _ = child.service
        return (tree, child, handler)
    }
}
