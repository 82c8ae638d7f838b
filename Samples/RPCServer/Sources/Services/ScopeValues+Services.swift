import ScopedInjection

extension ScopeValues {
    /// Who may call, by token.
    package static var accounts: ScopeValue<[String: String]> { .value(["token-ada": "Ada", "token-bob": "Bob"]) }
    /// What calls the second service.
    package static var audit: ScopeValue<AuditClient> { .required() }
    /// Who listens; one for the application.
    package static var board: ScopeValue<Board> {
        .lazy(.once(in: .application), isSafeInTests: true) {
            let board = Board()
            $0.onClose { board.close() }
            return board
        }
    }

    // What a request has.
    package static var user: ScopeValue<String?> { .optional() }
    package static var call: ScopeValue<CallContext?> { .optional() }
    /// A place at the board, which the request gives back at its end.
    static var subscription: ScopeValue<Subscription> {
        .lazy(.once(in: .request), isSafeInTests: true) {
            let board = try $0.board
            let subscription = Subscription(user: try $0.user ?? "nobody")
            board.note("\(subscription.user) came")
            $0.onClose { board.note("\(subscription.user) left") }
            return subscription
        }
    }
}

/// A place at the board.
struct Subscription: Sendable { let user: String }
