/// A setting that is missing or cannot be used.
package struct SettingError: Error, Equatable, CustomStringConvertible {
    /// The name as the environment has it; the command line's is made of the same words.
    let variable: String
    let problem: String

    package var description: String { "\(variable) \(problem)" }
}
