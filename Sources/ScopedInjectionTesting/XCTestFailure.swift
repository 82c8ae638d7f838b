import ScopedInjection

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif os(Windows)
    import WinSDK
#elseif !os(WASI)
    #error("ScopedInjectionTesting does not know this platform: say here how a function is found by its name")
#endif

/// Fails the XCTest that runs, if one does.
///
/// Where Swift Testing runs it does nothing, as an issue does where XCTest runs. Its function is found by its name, because a
/// library cannot link XCTest everywhere.
enum XCTestFailure {
    private typealias Fail = @convention(thin) (String, StaticString, UInt) -> Void

    private static let fail: Fail? = {
        let name = "$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF"
        #if os(Windows)
            let symbol = GetModuleHandleA("XCTest.dll").flatMap { GetProcAddress($0, name) }
                .map { unsafeBitCast($0, to: UnsafeMutableRawPointer.self) }
        #elseif os(WASI)
            let symbol: UnsafeMutableRawPointer? = nil
        #else
            let symbol = dlsym(dlopen(nil, RTLD_NOW), name)
        #endif
        // Safe, because the symbol names the types of the function.
        return symbol.map { unsafeBitCast($0, to: Fail.self) }
    }()

    static func record(_ lines: [String], at place: ScopeError.Location?) {
        fail?(lines.joined(separator: "\n"), place?.file ?? "ScopedInjectionTesting", place?.line ?? 0)
    }
}
