import ScopedInjection

#if canImport(XCTest)
    import XCTest
#endif

/// Fails the XCTest that runs, if one does.
///
/// Where Swift Testing runs it does nothing, as an issue does where XCTest runs.
enum XCTestFailure {
    static func record(_ lines: [String], at place: ScopeError.Location?) {
        #if canImport(XCTest)
            let text = lines.joined(separator: "\n")
            XCTFail(text, file: place?.file ?? "ScopedInjectionTesting", line: place?.line ?? 0)
        #endif
    }
}
