import ScopedInjection

struct Settings: Sendable {
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
}

extension ScopeValues {
    static let setting0 = ScopeValue(Service())
    static let setting1 = ScopeValue(Service())
    static let setting2 = ScopeValue(Service())
    static let setting3 = ScopeValue(Service())
    static let setting4 = ScopeValue(Service())
    static let setting5 = ScopeValue(Service())
    static let setting6 = ScopeValue(Service())
    static let setting7 = ScopeValue(Service())
    static let setting8 = ScopeValue(Service())
    static let setting9 = ScopeValue(Service())
    static let setting10 = ScopeValue(Service())
    static let setting11 = ScopeValue(Service())
    static let setting12 = ScopeValue(Service())
    static let setting13 = ScopeValue(Service())
    static let setting14 = ScopeValue(Service())
    static let setting15 = ScopeValue(Service())
    static let setting16 = ScopeValue(Service())
    static let setting17 = ScopeValue(Service())
    static let setting18 = ScopeValue(Service())
    static let setting19 = ScopeValue(Service())
}
