import ScopedInjection

// error: 'init(_:role:parent:defaults:_:)' is unavailable: without values it is EnvironmentScope.empty
let scope = EnvironmentScope("app")
// error: 'init(_:role:parent:defaults:_:)' is unavailable: without values it is EnvironmentScope.empty
let app = EnvironmentScope("app", role: .application, parent: nil)
