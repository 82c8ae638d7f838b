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

enum PortKey: ScopeKey { static let defaultValue = 8080 }
enum NameKey: ScopeKey { static let defaultValue = "" }
enum UserKey: ScopeKey { typealias Value = User? }
enum StoreKey: ScopeKey { static let defaultValue = Service() }
enum MailKey: ScopeKey { static let defaultValue = Service() }
enum CalendarKey: ScopeKey { static let defaultValue = Service() }
enum AccountKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Account { Account(id: scope.port, store: scope.store) }
}
enum BasketKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Basket {
        Basket(account: scope.account, mail: scope.mail)
    }
}
enum GreetingKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Greeting {
        Greeting(user: scope.userName, account: scope.account)
    }
}
enum PageKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Page {
        Page(basket: scope.basket, greeting: scope.greeting)
    }
}
enum ReplyKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Reply {
        Reply(page: scope.page, calendar: scope.calendar)
    }
}

extension EnvironmentScope {
    var port: Int {
        get { self[PortKey.self] }
        set { self[PortKey.self] = newValue }
    }
    var userName: String {
        get { self[NameKey.self] }
        set { self[NameKey.self] = newValue }
    }
    var user: User? {
        get { self[UserKey.self] }
        set { self[UserKey.self] = newValue }
    }
    var store: Service {
        get { self[StoreKey.self] }
        set { self[StoreKey.self] = newValue }
    }
    var mail: Service {
        get { self[MailKey.self] }
        set { self[MailKey.self] = newValue }
    }
    var calendar: Service {
        get { self[CalendarKey.self] }
        set { self[CalendarKey.self] = newValue }
    }
    var account: Account { self[AccountKey.self] }
    var basket: Basket { self[BasketKey.self] }
    var greeting: Greeting { self[GreetingKey.self] }
    var page: Page { self[PageKey.self] }
    var reply: Reply { self[ReplyKey.self] }
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
