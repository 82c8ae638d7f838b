import ScopedInjection
import Testing

@Suite("innermost is the current scope where that is this one or lies below it", .programRoots)
struct InnermostTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.host = "app" }

    @Test("innermost is a scope below, at any depth")
    func below() async {
        await app.withChild("test") {
            $0.host = "test"
        } operation: {
            let test = EnvironmentScope.current
            #expect(app.innermost === test)
            await app.innermost.withChild("request") {
                let request = EnvironmentScope.current
                #expect(app.innermost === request)
                #expect(test.innermost === request)
                #expect(request.host == "test")
            }
        }
    }

    @Test("innermost is the scope itself where that is current, or no scope is")
    func itself() {
        #expect(app.innermost === app)
        #expect(app { app.innermost } === app)
        #expect(EnvironmentScope.global.innermost === EnvironmentScope.global)
    }

    @Test("innermost is the scope itself where one further out, or beside it, is current")
    func elsewhere() {
        let request = EnvironmentScope.empty("request", parent: app)
        let other = EnvironmentScope.empty("other", parent: app)
        #expect(app { request.innermost } === request)
        #expect(other { request.innermost } === request)
        #expect(EnvironmentScope.empty("alone", parent: nil)({ app.innermost }) === app)
    }
}
