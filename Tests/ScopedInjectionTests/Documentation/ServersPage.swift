import ScopedInjection
import Testing

// The other code of the page is from Samples/NotesServer.

private actor Mailer {
    private(set) var sent: [String] = []
    @Injected(\.user?.name) private var name
    func send() { sent.append(name ?? "nobody") }
}

@Suite("Documentation: servers")
struct ServersPage {
    @Test("Work that outlives a request runs in a child of the application's scope")
    func outliving() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let mailer = Mailer()
        let user = User(name: "Ada")
        let task = await app.withChild("request") {
            Task {
                await app.withChild("mail") {
                    $0.user = user
                } operation: {
                    await mailer.send()
                }
            }
        }
        await task.value
        #expect(await mailer.sent == ["Ada"])
    }
}
