package import Configuration

/// The settings of a live server: the command line's, and where it says nothing those of the environment.
///
/// - Parameters:
///   - options: the options of the command line, by their names: `["database-folder": "notes"]` for
///     `--database-folder notes`, which says the same as `NOTES_DATABASE_FOLDER=notes`
///   - environment: the environment variables
package func liveConfiguration(options: [String: String], environment: [String: String]) -> ConfigReader {
    let values = options.map { name, text in
        (AbsoluteConfigKey(name.split(separator: "-").map { String($0) }), ConfigValue(.string(text), isSecret: false))
    }
    return ConfigReader(providers: [
        InMemoryProvider(name: "command line", values: Dictionary(uniqueKeysWithValues: values)),
        EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "notes"),
    ])
}
