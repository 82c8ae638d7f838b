import ScopedInjection

// error: capture of 'view' with non-Sendable type 'ScopeView' in a '@Sendable' closure [#SendableClosureCaptures]
let port = Injected({ (view: ScopeView) -> @Sendable () -> Int in { view.port } })
