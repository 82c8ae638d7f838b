import Hummingbird
import ScopedInjection

struct GreetingHandler: Sendable {
    @Injected(\.greeter) private var greeter

    func greet(_ request: Request, context: BasicRequestContext) throws -> String {
        try $greeter.value().greet()
    }
}

func makeServer(in app: EnvironmentScope) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: RequestScopes(app: app))
    router.get("greeting", use: GreetingHandler().greet)
    return Application(router: router)
}
