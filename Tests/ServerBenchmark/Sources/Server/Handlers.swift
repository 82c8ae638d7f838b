import ScopedInjection

/// The same answer, made in several ways.
struct Handlers: Sendable {
    let store = Store()
    let mail = Mail()
    let calendar = Calendar()
    /// A child of the global scope, as in any server.
    let app: EnvironmentScope

    @Injected(\.requestID) private var requestID
    @Injected(\.userName) private var userName
    @Injected(\.reply) private var reply
    @Injected(\.transaction) private var transaction

    init() {
        let (store, mail, calendar) = (store, mail, calendar)
        app = EnvironmentScope("app") {
            $0.store = store
            $0.mail = mail
            $0.calendar = calendar
        }
    }

    /// Makes the five services itself.
    func byHand(_ id: Int) async -> String { madeByHand(id).text }

    /// Makes the five services itself, begins a transaction and ends it.
    func transactionByHand(_ id: Int) async -> String {
        let transaction = Transaction(store)
        let text = "\(madeByHand(id).text)\(transaction.number)"
        await transaction.end()
        return text
    }

    private func madeByHand(_ id: Int) -> Reply {
        let account = Account(id: id, store: store)
        let basket = Basket(account: account, mail: mail)
        let greeting = Greeting(user: "ada", account: account)
        return Reply(page: Page(basket: basket, greeting: greeting), calendar: calendar)
    }

    /// Has a scope for the request, and reads the two values that are set in it.
    func scope(_ id: Int) async -> String {
        await request(id) { "\(userName) \(requestID &+ 5)" }
    }

    /// Has a scope for the request, which builds the five services.
    func services(_ id: Int) async -> String {
        await request(id) { reply.text }
    }

    /// Has a scope for the request, which builds the five services, begins a transaction, and ends it when it is closed.
    func transaction(_ id: Int) async -> String {
        await app.withChild("request") {
            $0.requestID = id
            $0.userName = "ada"
        } operation: {
            "\(reply.text)\(transaction.number)"
        }
    }

    private func request(_ id: Int, _ body: () async -> String) async -> String {
        let request = EnvironmentScope("request", parent: app) {
            $0.requestID = id
            $0.userName = "ada"
        }
        return await request { await body() }
    }
}
