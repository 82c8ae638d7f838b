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

/// What a request answers with.
public final class Reply: Sendable {
    let page: Page
    let calendar: Calendar

    /// What reads give to the black hole.
    public var number: Int { page.greeting.account.id &+ page.basket.mail.number }

    init(page: Page, calendar: Calendar) {
        self.page = page
        self.calendar = calendar
    }
}

extension ScopeValues {
    /// The first value of a request.
    public static var requestID: ScopeValue<Int> { .value(0) }
    /// The second value of a request.
    public static var userName: ScopeValue<String> { .value("") }
    /// A value of the application.
    public static var store: ScopeValue<Store> { .lazy { _ in Store() } }
    /// A value of the application.
    public static var mail: ScopeValue<Mail> { .lazy { _ in Mail() } }
    /// A value of the application.
    public static var calendar: ScopeValue<Calendar> { .lazy { _ in Calendar() } }
    static var account: ScopeValue<Account> { .lazy { try Account(id: $0.requestID, store: $0.store) } }
    static var basket: ScopeValue<Basket> { .lazy { try Basket(account: $0.account, mail: $0.mail) } }
    static var greeting: ScopeValue<Greeting> { .lazy { try Greeting(user: $0.userName, account: $0.account) } }
    static var page: ScopeValue<Page> { .lazy { try Page(basket: $0.basket, greeting: $0.greeting) } }
    /// The service that is built from the four others.
    public static var reply: ScopeValue<Reply> { .lazy { try Reply(page: $0.page, calendar: $0.calendar) } }
}
