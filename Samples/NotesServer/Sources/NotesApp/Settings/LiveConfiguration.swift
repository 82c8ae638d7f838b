package import Configuration
import Foundation

/// The settings of a live server: the command line's, where it says nothing those of the environment, and last those of the
/// settings file.
///
/// - Parameters:
///   - options: the options of the command line, by their names: `["database-folder": "notes"]` for
///     `--database-folder notes`, which says the same as `NOTES_DATABASE_FOLDER=notes`
///   - environment: the environment variables
/// - Throws: ``SettingError`` where the settings file cannot be used
package func liveConfiguration(
    options: [String: String],
    environment: [String: String]
) throws(SettingError) -> ConfigReader {
    var providers: [any ConfigProvider] = [
        settings(options, of: "command line"),
        EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "notes"),
    ]
    if let path = try ConfigReader(providers: providers).settingsFile() {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SettingError(variable: "NOTES_SETTINGS_FILE", problem: "cannot be read: '\(path)'.")
        }
        guard let texts = try? JSONDecoder().decode([String: String].self, from: data) else {
            throw SettingError(
                variable: "NOTES_SETTINGS_FILE",
                problem: "must be a JSON object of texts, which '\(path)' is not."
            )
        }
        providers.append(settings(texts, of: "settings file"))
    }
    return ConfigReader(providers: providers)
}

private func settings(_ texts: [String: String], of name: String) -> InMemoryProvider {
    let values = texts.map { name, text in
        (AbsoluteConfigKey(name.split(separator: "-").map { String($0) }), ConfigValue(.string(text), isSecret: false))
    }
    return InMemoryProvider(name: name, values: Dictionary(values) { _, last in last })
}
