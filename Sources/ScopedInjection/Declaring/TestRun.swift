/// Whether a test runner runs the process: the same from its start to its end, so that no value depends on when it is asked.
enum TestRun {
    /// Told by the name of the program and the environment, which are there before the first test.
    static let isUnderWay: Bool = {
        let variables: [StaticString] = ["XCTestConfigurationFilePath", "XCTestBundlePath", "XCTestSessionIdentifier"]
        if variables.contains(where: { isInEnvironment($0) }) { return true }
        let program = CommandLine.arguments.first ?? ""
        return program.hasSuffix(".xctest")
            || ["xctest", "swiftpm-testing-helper"].contains { name in
                program == name || program.hasSuffix("/" + name) || program.hasSuffix("\\" + name)
            }
    }()
}
