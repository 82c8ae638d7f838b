public import ScopedInjection

/// Values in a row, each built from the one before; the first one from a value of the request.
protocol RowKey: ScopeKey where Value == Service {
    /// The key of the value before.
    associatedtype Before: ScopeKey<Service>
}

extension RowKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Service {
        Service(number: scope[Before.self].number &+ 1)
    }
}

enum RowKey1: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Service { Service(number: scope.requestID) }
}
enum RowKey2: RowKey { typealias Before = RowKey1 }
enum RowKey3: RowKey { typealias Before = RowKey2 }
enum RowKey4: RowKey { typealias Before = RowKey3 }
enum RowKey5: RowKey { typealias Before = RowKey4 }
enum RowKey6: RowKey { typealias Before = RowKey5 }
enum RowKey7: RowKey { typealias Before = RowKey6 }
enum RowKey8: RowKey { typealias Before = RowKey7 }
enum RowKey9: RowKey { typealias Before = RowKey8 }
enum RowKey10: RowKey { typealias Before = RowKey9 }
enum RowKey11: RowKey { typealias Before = RowKey10 }
enum RowKey12: RowKey { typealias Before = RowKey11 }
enum RowKey13: RowKey { typealias Before = RowKey12 }
enum RowKey14: RowKey { typealias Before = RowKey13 }
enum RowKey15: RowKey { typealias Before = RowKey14 }
enum RowKey16: RowKey { typealias Before = RowKey15 }
enum RowKey17: RowKey { typealias Before = RowKey16 }
enum RowKey18: RowKey { typealias Before = RowKey17 }
enum RowKey19: RowKey { typealias Before = RowKey18 }
enum RowKey20: RowKey { typealias Before = RowKey19 }
enum RowKey21: RowKey { typealias Before = RowKey20 }
enum RowKey22: RowKey { typealias Before = RowKey21 }
enum RowKey23: RowKey { typealias Before = RowKey22 }
enum RowKey24: RowKey { typealias Before = RowKey23 }
enum RowKey25: RowKey { typealias Before = RowKey24 }
enum RowKey26: RowKey { typealias Before = RowKey25 }
enum RowKey27: RowKey { typealias Before = RowKey26 }
enum RowKey28: RowKey { typealias Before = RowKey27 }
enum RowKey29: RowKey { typealias Before = RowKey28 }
enum RowKey30: RowKey { typealias Before = RowKey29 }
enum RowKey31: RowKey { typealias Before = RowKey30 }
enum RowKey32: RowKey { typealias Before = RowKey31 }
enum RowKey33: RowKey { typealias Before = RowKey32 }

extension EnvironmentScope {
    /// The fifth value in the row.
    public var fifthInRow: Service { self[RowKey5.self] }
    /// The last value in the row.
    public var lastInRow: Service { self[RowKey33.self] }
}
