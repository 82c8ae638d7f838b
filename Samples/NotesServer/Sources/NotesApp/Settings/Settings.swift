package import Configuration
package import Logging
package import ScopedInjection

/// The settings of the server, as they are read at one moment.
package struct Settings: Sendable {
    package var hostname = "127.0.0.1"
    package var port = 8080
    package var logLevel = Logger.Level.info
    package var requestTimeout = Duration.seconds(10)
    package var retention: Duration?
    package var announcementURL: String?
    package var accountsFile: String?
    package var databaseFolder: String

    /// The defaults.
    package init(databaseFolder: String) { self.databaseFolder = databaseFolder }

    /// Reads all settings.
    ///
    /// - Throws: ``SettingErrors`` with each that cannot be used
    package init(_ configuration: ConfigReader) throws(SettingErrors) {
        var problems: [SettingError] = []
        func read<Value>(_ setting: () throws(SettingError) -> Value, into value: inout Value) {
            do throws(SettingError) { value = try setting() } catch { problems.append(error) }
        }
        self.init(databaseFolder: "")
        read(configuration.hostname, into: &hostname)
        read(configuration.port, into: &port)
        read(configuration.logLevel, into: &logLevel)
        read(configuration.requestTimeout, into: &requestTimeout)
        read(configuration.retention, into: &retention)
        read(configuration.announcementURL, into: &announcementURL)
        read(configuration.accountsFile, into: &accountsFile)
        read(configuration.databaseFolder, into: &databaseFolder)
        if !problems.isEmpty { throw SettingErrors(problems: problems) }
    }
}

/// All settings that cannot be used.
package struct SettingErrors: Error { let problems: [SettingError] }

extension EnvironmentScope {
    /// Sets each setting for itself: what was built from one of them stays when only others change.
    package func take(_ settings: Settings) {
        self.hostname = settings.hostname
        self.port = settings.port
        self.logLevel = settings.logLevel
        self.requestTimeout = settings.requestTimeout
        self.retention = settings.retention
        self.announcementURL = settings.announcementURL
        self.accountsFile = settings.accountsFile
        self.databaseFolder = settings.databaseFolder
    }

    /// Provides the settings, and takes those of this moment; what is wrong with them is found out by ``checkAtStart()``.
    package func provideSettings(_ read: @escaping @Sendable () throws -> Settings) {
        provide(\.settings) { _ in try read() }
        if let settings = try? value(for: \.settings) { take(settings) }
    }
}
