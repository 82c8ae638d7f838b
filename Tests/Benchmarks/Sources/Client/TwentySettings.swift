internal import BlackHole
public import ScopedInjection

/// Twenty values of the application.
public enum TwentySettings {
    /// Sets them all.
    public static func set(in scope: EnvironmentScope) {
        scope.setting0 = Service(number: 0)
        scope.setting1 = Service(number: 1)
        scope.setting2 = Service(number: 2)
        scope.setting3 = Service(number: 3)
        scope.setting4 = Service(number: 4)
        scope.setting5 = Service(number: 5)
        scope.setting6 = Service(number: 6)
        scope.setting7 = Service(number: 7)
        scope.setting8 = Service(number: 8)
        scope.setting9 = Service(number: 9)
        scope.setting10 = Service(number: 10)
        scope.setting11 = Service(number: 11)
        scope.setting12 = Service(number: 12)
        scope.setting13 = Service(number: 13)
        scope.setting14 = Service(number: 14)
        scope.setting15 = Service(number: 15)
        scope.setting16 = Service(number: 16)
        scope.setting17 = Service(number: 17)
        scope.setting18 = Service(number: 18)
        scope.setting19 = Service(number: 19)
    }
}

/// References to all of them.
struct TwentyReferences: Sendable {
    @Injected(\.setting0) var setting0
    @Injected(\.setting1) var setting1
    @Injected(\.setting2) var setting2
    @Injected(\.setting3) var setting3
    @Injected(\.setting4) var setting4
    @Injected(\.setting5) var setting5
    @Injected(\.setting6) var setting6
    @Injected(\.setting7) var setting7
    @Injected(\.setting8) var setting8
    @Injected(\.setting9) var setting9
    @Injected(\.setting10) var setting10
    @Injected(\.setting11) var setting11
    @Injected(\.setting12) var setting12
    @Injected(\.setting13) var setting13
    @Injected(\.setting14) var setting14
    @Injected(\.setting15) var setting15
    @Injected(\.setting16) var setting16
    @Injected(\.setting17) var setting17
    @Injected(\.setting18) var setting18
    @Injected(\.setting19) var setting19

    /// Reads each of them once.
    @inline(__always)
    func readOnce() {
        blackHole(setting0.number)
        blackHole(setting1.number)
        blackHole(setting2.number)
        blackHole(setting3.number)
        blackHole(setting4.number)
        blackHole(setting5.number)
        blackHole(setting6.number)
        blackHole(setting7.number)
        blackHole(setting8.number)
        blackHole(setting9.number)
        blackHole(setting10.number)
        blackHole(setting11.number)
        blackHole(setting12.number)
        blackHole(setting13.number)
        blackHole(setting14.number)
        blackHole(setting15.number)
        blackHole(setting16.number)
        blackHole(setting17.number)
        blackHole(setting18.number)
        blackHole(setting19.number)
    }
}

extension ScopeValues {
    static var setting0: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting1: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting2: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting3: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting4: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting5: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting6: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting7: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting8: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting9: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting10: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting11: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting12: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting13: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting14: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting15: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting16: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting17: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting18: ScopeValue<Service> { .lazy { _ in Service() } }
    static var setting19: ScopeValue<Service> { .lazy { _ in Service() } }
}
