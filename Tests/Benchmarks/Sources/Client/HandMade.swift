internal import BlackHole

/// The five services of `BuildingRequests`, made by hand.
public struct HandMade: Sendable {
    let store = Store()
    let mail = Mail()
    let calendar = Calendar()

    /// Creates what the application has.
    public init() {}

    /// Makes the five services.
    @inline(never)
    public func buildFive(_ count: Int) {
        for number in 0..<count {
            blackHole(reply(id: number, user: "ada").number)
        }
    }

    /// Not seen through, or the services would not be made at all.
    @inline(never)
    private func reply(id: Int, user: String) -> Reply {
        let account = Account(id: id, store: store)
        let basket = Basket(account: account, mail: mail)
        let greeting = Greeting(user: user, account: account)
        return Reply(page: Page(basket: basket, greeting: greeting), calendar: calendar)
    }
}
