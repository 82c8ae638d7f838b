import ScopedInjection

final class Service: Sendable {
    let number: Int

    init(_ number: Int = 1) { self.number = number }
}

struct User: Sendable {
    let id: Int
    let name: String
}

final class Account: Sendable {
    let id: Int
    let store: Service

    init(id: Int, store: Service) {
        self.id = id
        self.store = store
    }
}

final class Basket: Sendable {
    let account: Account
    let mail: Service

    init(account: Account, mail: Service) {
        self.account = account
        self.mail = mail
    }
}

final class Greeting: Sendable {
    let user: String
    let account: Account

    init(user: String, account: Account) {
        self.user = user
        self.account = account
    }
}

final class Page: Sendable {
    let basket: Basket
    let greeting: Greeting

    init(basket: Basket, greeting: Greeting) {
        self.basket = basket
        self.greeting = greeting
    }
}

final class Reply: Sendable {
    let page: Page
    let calendar: Service

    init(page: Page, calendar: Service) {
        self.page = page
        self.calendar = calendar
    }
}

/// What limits are multiples of: a task-local of the program's own.
enum Local {
    @TaskLocal static var service: Service?
}

struct Handler: Sendable {
    @Injected(\.port) var port
    @Injected(\.store) var store
    @Injected(\.user) var user
    @Injected(\.account) var account
    @Injected(\.basket) var basket
    @Injected(\.reply) var reply
}

struct Five: Sendable {
    @Injected(\.port) var port
    @Injected(\.userName) var userName
    @Injected(\.user) var user
    @Injected(\.store) var store
    @Injected(\.mail) var mail
}

extension ScopeValues {
    static let port = ScopeValue(8080)
    static let userName = ScopeValue("")
    static let user = ScopeValue<User?>()
    static let store = ScopeValue(Service())
    static let mail = ScopeValue(Service())
    static let calendar = ScopeValue(Service())
    static let account = ScopeValue { scope in Account(id: scope.port, store: scope.store) }
    static let basket = ScopeValue { scope in Basket(account: scope.account, mail: scope.mail) }
    static let greeting = ScopeValue { scope in Greeting(user: scope.userName, account: scope.account) }
    static let page = ScopeValue { scope in Page(basket: scope.basket, greeting: scope.greeting) }
    static let reply = ScopeValue { scope in Reply(page: scope.page, calendar: scope.calendar) }
}
