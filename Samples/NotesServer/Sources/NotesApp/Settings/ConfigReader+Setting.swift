import Configuration

extension ConfigReader {
    /// A setting, or nil where nobody sets it.
    ///
    /// - Parameters:
    ///   - words: what the setting is called: `["log", "level"]` is `--log-level` and `NOTES_LOG_LEVEL`
    ///   - requirement: what it has to be, to end the sentence "NOTES_PORT must be …"
    ///   - parse: makes the value of its text; nil where the text will not do
    func setting<Value>(
        _ words: [String],
        mustBe requirement: String,
        parse: (String) -> Value?
    ) throws(SettingError) -> Value? {
        guard let text = string(forKey: ConfigKey(words)) else { return nil }
        guard let value = parse(text) else {
            throw SettingError(variable: variable(words), problem: "must be \(requirement), not '\(text)'.")
        }
        return value
    }

    private func variable(_ words: [String]) -> String {
        "NOTES_" + words.map { $0.uppercased() }.joined(separator: "_")
    }
}
