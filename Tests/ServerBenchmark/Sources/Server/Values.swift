import ScopedInjection

extension ScopeValues {
    static let requestID = ScopeValue(0)
    static let userName = ScopeValue("")
    static let store = ScopeValue { _ in Store() }
    static let mail = ScopeValue { _ in Mail() }
    static let calendar = ScopeValue { _ in Calendar() }

    static let account = ScopeValue { Account(id: $0.requestID, store: $0.store) }
    static let basket = ScopeValue { Basket(account: $0.account, mail: $0.mail) }
    static let greeting = ScopeValue { Greeting(user: $0.userName, account: $0.account) }
    static let page = ScopeValue { Page(basket: $0.basket, greeting: $0.greeting) }
    static let reply = ScopeValue { Reply(page: $0.page, calendar: $0.calendar) }
}
