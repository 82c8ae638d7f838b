import ScopedInjection

enum RequestIDKey: ScopeKey { static let defaultValue = 0 }
enum UserNameKey: ScopeKey { static let defaultValue = "" }
enum StoreKey: ScopeKey { static let defaultValue = Store() }
enum MailKey: ScopeKey { static let defaultValue = Mail() }
enum CalendarKey: ScopeKey { static let defaultValue = Calendar() }
enum AccountKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Account {
        Account(id: scope.requestID, store: scope.store)
    }
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
    var requestID: Int {
        get { self[RequestIDKey.self] }
        set { self[RequestIDKey.self] = newValue }
    }
    var userName: String {
        get { self[UserNameKey.self] }
        set { self[UserNameKey.self] = newValue }
    }
    var store: Store {
        get { self[StoreKey.self] }
        set { self[StoreKey.self] = newValue }
    }
    var mail: Mail {
        get { self[MailKey.self] }
        set { self[MailKey.self] = newValue }
    }
    var calendar: Calendar {
        get { self[CalendarKey.self] }
        set { self[CalendarKey.self] = newValue }
    }
    var account: Account { self[AccountKey.self] }
    var basket: Basket { self[BasketKey.self] }
    var greeting: Greeting { self[GreetingKey.self] }
    var page: Page { self[PageKey.self] }
    var reply: Reply { self[ReplyKey.self] }
}
