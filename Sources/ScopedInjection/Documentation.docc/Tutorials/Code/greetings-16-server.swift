import Hummingbird
import ScopedInjection

struct GreetingHandler: Sendable {
    @Injected(\.greeter) private var greeter
    @Injected(\.visit) private var visit

    func greet(_ request: Request, context: BasicRequestContext) throws -> String {
        visit.add(request.uri.path)
        let answer = try $greeter.value().greet()
        visit.add("greeted")
        return answer
    }
}

func makeServer(in app: EnvironmentScope) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: RequestScopes(app: app))
    router.get("greeting", use: GreetingHandler().greet)
    return Application(router: router)
}
