import ScopedInjection

func onEach(_ body: @escaping @Sendable (Int, Int) async -> Void) {}

func bind(_ scope: EnvironmentScope) {
    // error: 'bind' is unavailable: an async closure takes one argument; enter the scope in it: await scope { … }
    onEach(scope.bind { first, second in await Task.yield() })
}
