package import Configuration

/// The settings of a live server: the command line's, and where it says nothing those of the environment.
///
/// `--database-folder notes` and `NOTES_DATABASE_FOLDER=notes` say the same.
///
/// - Parameters:
///   - arguments: the command line, the program's name first
///   - environment: the environment variables
package func liveConfiguration(arguments: [String], environment: [String: String]) -> ConfigReader {
    ConfigReader(providers: [
        CommandLineArgumentsProvider(arguments: arguments),
        EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "notes"),
    ])
}
