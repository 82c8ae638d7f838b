import ScopedInjection

// error: type 'LimitKey' does not conform to protocol 'ScopeKey'
enum LimitKey: ScopeKey { static let defautValue = 100 }
