internal import BlackHole
public import ScopedInjection

/// Twenty values of the application.
public enum TwentySettings {
    /// Sets them all.
    public static func set(in scope: EnvironmentScope) {
        scope[SettingKey0.self] = Service(number: 0)
        scope[SettingKey1.self] = Service(number: 1)
        scope[SettingKey2.self] = Service(number: 2)
        scope[SettingKey3.self] = Service(number: 3)
        scope[SettingKey4.self] = Service(number: 4)
        scope[SettingKey5.self] = Service(number: 5)
        scope[SettingKey6.self] = Service(number: 6)
        scope[SettingKey7.self] = Service(number: 7)
        scope[SettingKey8.self] = Service(number: 8)
        scope[SettingKey9.self] = Service(number: 9)
        scope[SettingKey10.self] = Service(number: 10)
        scope[SettingKey11.self] = Service(number: 11)
        scope[SettingKey12.self] = Service(number: 12)
        scope[SettingKey13.self] = Service(number: 13)
        scope[SettingKey14.self] = Service(number: 14)
        scope[SettingKey15.self] = Service(number: 15)
        scope[SettingKey16.self] = Service(number: 16)
        scope[SettingKey17.self] = Service(number: 17)
        scope[SettingKey18.self] = Service(number: 18)
        scope[SettingKey19.self] = Service(number: 19)
    }
}

enum SettingKey0: ScopeKey { static let defaultValue = Service() }
enum SettingKey1: ScopeKey { static let defaultValue = Service() }
enum SettingKey2: ScopeKey { static let defaultValue = Service() }
enum SettingKey3: ScopeKey { static let defaultValue = Service() }
enum SettingKey4: ScopeKey { static let defaultValue = Service() }
enum SettingKey5: ScopeKey { static let defaultValue = Service() }
enum SettingKey6: ScopeKey { static let defaultValue = Service() }
enum SettingKey7: ScopeKey { static let defaultValue = Service() }
enum SettingKey8: ScopeKey { static let defaultValue = Service() }
enum SettingKey9: ScopeKey { static let defaultValue = Service() }
enum SettingKey10: ScopeKey { static let defaultValue = Service() }
enum SettingKey11: ScopeKey { static let defaultValue = Service() }
enum SettingKey12: ScopeKey { static let defaultValue = Service() }
enum SettingKey13: ScopeKey { static let defaultValue = Service() }
enum SettingKey14: ScopeKey { static let defaultValue = Service() }
enum SettingKey15: ScopeKey { static let defaultValue = Service() }
enum SettingKey16: ScopeKey { static let defaultValue = Service() }
enum SettingKey17: ScopeKey { static let defaultValue = Service() }
enum SettingKey18: ScopeKey { static let defaultValue = Service() }
enum SettingKey19: ScopeKey { static let defaultValue = Service() }

extension EnvironmentScope {
    var setting0: Service { self[SettingKey0.self] }
    var setting1: Service { self[SettingKey1.self] }
    var setting2: Service { self[SettingKey2.self] }
    var setting3: Service { self[SettingKey3.self] }
    var setting4: Service { self[SettingKey4.self] }
    var setting5: Service { self[SettingKey5.self] }
    var setting6: Service { self[SettingKey6.self] }
    var setting7: Service { self[SettingKey7.self] }
    var setting8: Service { self[SettingKey8.self] }
    var setting9: Service { self[SettingKey9.self] }
    var setting10: Service { self[SettingKey10.self] }
    var setting11: Service { self[SettingKey11.self] }
    var setting12: Service { self[SettingKey12.self] }
    var setting13: Service { self[SettingKey13.self] }
    var setting14: Service { self[SettingKey14.self] }
    var setting15: Service { self[SettingKey15.self] }
    var setting16: Service { self[SettingKey16.self] }
    var setting17: Service { self[SettingKey17.self] }
    var setting18: Service { self[SettingKey18.self] }
    var setting19: Service { self[SettingKey19.self] }
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
