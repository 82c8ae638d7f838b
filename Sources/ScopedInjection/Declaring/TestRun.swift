import Synchronization

/// Whether tests run in the process: what its name and environment tell, from the start; what a trait has said, from then on.
enum TestRun {
    private static let isKnown = Atomic(isFound)

    private static var isFound: Bool {
        let variables: [StaticString] = [
            "SCOPED_INJECTION_TESTS", "BAZEL_TEST", "XCTestConfigurationFilePath", "XCTestBundlePath",
            "XCTestSessionIdentifier",
        ]
        let program = CommandLine.arguments.first?.split { $0 == "/" || $0 == "\\" }.last ?? ""
        return variables.contains { isInEnvironment($0) } || CommandLine.arguments.contains("--testing-library")
            || program.hasSuffix(".xctest") || program == "xctest" || program == "swiftpm-testing-helper"
    }

    static var isUnderWay: Bool { isKnown.load(ordering: .relaxed) }

    /// Says that tests run; whether that was known.
    static func say() -> Bool { isKnown.exchange(true, ordering: .relaxed) }
}
