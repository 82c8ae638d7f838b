public import ScopedInjection

/// The first of three objects that the application has.
public final class Store: Sendable {
    let number = 1

    /// Creates a store.
    public init() {}
}

/// The second of three objects that the application has.
public final class Mail: Sendable {
    let number = 2

    /// Creates a mailer.
    public init() {}
}

/// The third of three objects that the application has.
public final class Calendar: Sendable {
    let number = 3

    /// Creates a calendar.
    public init() {}
}

final class Account: Sendable {
    let id: Int
    let store: Store

    init(id: Int, store: Store) {
        self.id = id
        self.store = store
    }
}

final class Basket: Sendable {
    let account: Account
    let mail: Mail

    init(account: Account, mail: Mail) {
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
    let calendar: Calendar

    init(page: Page, calendar: Calendar) {
        self.page = page
        self.calendar = calendar
    }
}

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
    /// The first value of a request.
    public var requestID: Int {
        get { self[RequestIDKey.self] }
        set { self[RequestIDKey.self] = newValue }
    }
    /// The second value of a request.
    public var userName: String {
        get { self[UserNameKey.self] }
        set { self[UserNameKey.self] = newValue }
    }
    /// A value of the application.
    public var store: Store {
        get { self[StoreKey.self] }
        set { self[StoreKey.self] = newValue }
    }
    /// A value of the application.
    public var mail: Mail {
        get { self[MailKey.self] }
        set { self[MailKey.self] = newValue }
    }
    /// A value of the application.
    public var calendar: Calendar {
        get { self[CalendarKey.self] }
        set { self[CalendarKey.self] = newValue }
    }
    var account: Account { self[AccountKey.self] }
    var basket: Basket { self[BasketKey.self] }
    var greeting: Greeting { self[GreetingKey.self] }
    var page: Page { self[PageKey.self] }
    var reply: Reply { self[ReplyKey.self] }
}
