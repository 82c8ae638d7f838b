public import Client
public import ScopedInjection

extension ScopeValues {
    fileprivate static var lent: ScopeValue<Handler> { .value(Handler()) }
}

/// The scopes that the lines read from and make children of.
public struct Fixture: Sendable {
    /// Never let go of: scopes hold their parents weakly, and not every line that is run holds all it reads from.
    public static let shared = Fixture()

    /// A child of the global scope, with a value of each kind.
    public let app = EnvironmentScope("app", Self.setValues)
    /// Another one, which has built all that requests build, for itself.
    public let builtApp = EnvironmentScope("built app", Self.setValues)
    /// Another one, which references are bound to.
    private let boundApp = EnvironmentScope("bound app", Self.setValues)
    /// Below `app`, each one the child of the one before, without values.
    private let descendants: [EnvironmentScope]
    /// Scopes without a parent, by the number of their values.
    public let scopesByCount: [Int: EnvironmentScope]
    /// References without a scope of their own.
    public let handler = Handler()
    /// References that are bound to a scope like `app`.
    public let boundHandler = Handler()
    /// Reads from `boundApp` without keeping it alive.
    public let lentHandler = Handler()
    /// References that requests read through.
    public let requests = Requests()
    /// References that requests read through which have something to do at their end.
    public let ending = EndingRequests()
    /// References that requests read through which build services.
    public let building = BuildingRequests()

    private init() {
        Self.setValues(in: .global)
        var descendants: [EnvironmentScope] = []
        for depth in 1...32 { descendants.append(.empty("depth \(depth)", parent: descendants.last ?? app)) }
        self.descendants = descendants
        let counts = [1, 10, 100, 1_000]
        scopesByCount = Dictionary(uniqueKeysWithValues: counts.map { ($0, Requests.with(values: $0, under: nil)) })
        boundApp.replace(in: boundHandler)
        boundApp.lent = lentHandler
        boundApp.replaceInValues()
        building.buildAll(in: builtApp)
    }

    /// The scope that sees the values of `app` from `depth` scopes further in.
    public func descendant(_ depth: Int) -> EnvironmentScope { descendants[depth - 1] }

    private static func setValues(in scope: EnvironmentScope) {
        scope.port = 1
        scope.adminPort = 2
        scope.limit = 3
        scope.timeout = 4
        scope.retries = 5
        scope.service = Service()
        scope.otherService = Service()
        scope.greeter = Service()
        scope.user = User(id: 1, name: "Ada")
        scope.fiveWords = FiveWords(1)
        scope.store = Store()
        scope.mail = Mail()
        scope.calendar = Calendar()
        TwentySettings.set(in: scope)
    }

    /// A scope for changes, and a child that sees them.
    public static func family() -> (parent: EnvironmentScope, child: EnvironmentScope) {
        let parent = EnvironmentScope("parent", parent: nil) {
            $0.port = 1
            $0.service = Service()
        }
        return (parent, .empty("child", parent: parent))
    }
}
