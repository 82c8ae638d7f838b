import ScopedInjection

extension ScopeValues {
    static var requestID: ScopeValue<Int> { .value(0) }
    static var userName: ScopeValue<String> { .value("") }
    static var store: ScopeValue<Store> { .lazy { _ in Store() } }
    static var mail: ScopeValue<Mail> { .lazy { _ in Mail() } }
    static var calendar: ScopeValue<Calendar> { .lazy { _ in Calendar() } }

    static var account: ScopeValue<Account> { .lazy { try Account(id: $0.requestID, store: $0.store) } }
    static var basket: ScopeValue<Basket> { .lazy { try Basket(account: $0.account, mail: $0.mail) } }
    static var greeting: ScopeValue<Greeting> { .lazy { try Greeting(user: $0.userName, account: $0.account) } }
    static var page: ScopeValue<Page> { .lazy { try Page(basket: $0.basket, greeting: $0.greeting) } }
    static var reply: ScopeValue<Reply> { .lazy { try Reply(page: $0.page, calendar: $0.calendar) } }
    static var transaction: ScopeValue<Transaction> {
        .lazy { reader in
            let transaction = try Transaction(reader.store)
            reader.onClose { await transaction.end() }
            return transaction
        }
    }
}
