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

extension ScopeValues {
    /// The first value of a request.
    public static let requestID = ScopeValue(0)
    /// The second value of a request.
    public static let userName = ScopeValue("")
    /// A value of the application.
    public static let store = ScopeValue(Store())
    /// A value of the application.
    public static let mail = ScopeValue(Mail())
    /// A value of the application.
    public static let calendar = ScopeValue(Calendar())
    static let account = ScopeValue { scope in Account(id: scope.requestID, store: scope.store) }
    static let basket = ScopeValue { scope in Basket(account: scope.account, mail: scope.mail) }
    static let greeting = ScopeValue { scope in Greeting(user: scope.userName, account: scope.account) }
    static let page = ScopeValue { scope in Page(basket: scope.basket, greeting: scope.greeting) }
    static let reply = ScopeValue { scope in Reply(page: scope.page, calendar: scope.calendar) }
}
