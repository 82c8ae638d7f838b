import Synchronization

/// The first of three objects that the application has.
final class Store: Sendable {
    let number = 1
    private let count = Atomic(0)

    func count(_ change: Int) { count.wrappingAdd(change, ordering: .relaxed) }
}

/// What a request begins, and has to end.
final class Transaction: Sendable {
    private let store: Store
    let number = 1

    init(_ store: Store) {
        self.store = store
        store.count(1)
    }

    func end() async { store.count(-1) }
}

/// The second of three objects that the application has.
final class Mail: Sendable {
    let number = 2
}

/// The third of three objects that the application has.
final class Calendar: Sendable {
    let number = 3
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

    /// What is answered.
    var text: String {
        "\(page.greeting.user) \(page.greeting.account.id &+ calendar.number &+ page.basket.mail.number)"
    }
}
