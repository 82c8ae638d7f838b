import ScopedInjection

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
    var setting0: Service {
        get { self[SettingKey0.self] }
        set { self[SettingKey0.self] = newValue }
    }
    var setting1: Service {
        get { self[SettingKey1.self] }
        set { self[SettingKey1.self] = newValue }
    }
    var setting2: Service {
        get { self[SettingKey2.self] }
        set { self[SettingKey2.self] = newValue }
    }
    var setting3: Service {
        get { self[SettingKey3.self] }
        set { self[SettingKey3.self] = newValue }
    }
    var setting4: Service {
        get { self[SettingKey4.self] }
        set { self[SettingKey4.self] = newValue }
    }
    var setting5: Service {
        get { self[SettingKey5.self] }
        set { self[SettingKey5.self] = newValue }
    }
    var setting6: Service {
        get { self[SettingKey6.self] }
        set { self[SettingKey6.self] = newValue }
    }
    var setting7: Service {
        get { self[SettingKey7.self] }
        set { self[SettingKey7.self] = newValue }
    }
    var setting8: Service {
        get { self[SettingKey8.self] }
        set { self[SettingKey8.self] = newValue }
    }
    var setting9: Service {
        get { self[SettingKey9.self] }
        set { self[SettingKey9.self] = newValue }
    }
    var setting10: Service {
        get { self[SettingKey10.self] }
        set { self[SettingKey10.self] = newValue }
    }
    var setting11: Service {
        get { self[SettingKey11.self] }
        set { self[SettingKey11.self] = newValue }
    }
    var setting12: Service {
        get { self[SettingKey12.self] }
        set { self[SettingKey12.self] = newValue }
    }
    var setting13: Service {
        get { self[SettingKey13.self] }
        set { self[SettingKey13.self] = newValue }
    }
    var setting14: Service {
        get { self[SettingKey14.self] }
        set { self[SettingKey14.self] = newValue }
    }
    var setting15: Service {
        get { self[SettingKey15.self] }
        set { self[SettingKey15.self] = newValue }
    }
    var setting16: Service {
        get { self[SettingKey16.self] }
        set { self[SettingKey16.self] = newValue }
    }
    var setting17: Service {
        get { self[SettingKey17.self] }
        set { self[SettingKey17.self] = newValue }
    }
    var setting18: Service {
        get { self[SettingKey18.self] }
        set { self[SettingKey18.self] = newValue }
    }
    var setting19: Service {
        get { self[SettingKey19.self] }
        set { self[SettingKey19.self] = newValue }
    }
}

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
