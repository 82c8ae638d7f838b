import Foundation
import Harness

/// Building the core from nothing, as a program that depends on it does.
enum CoreBuild {
    static let lines = [
        Line(.build, "Build", "clean debug build of the core with 2 jobs", .seconds, .atMost(20)) { _ in
            Line.Measurement(try seconds())
        }
    ]

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static func seconds() throws -> Double {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "core-build-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let build = Process()
        build.executableURL = URL(filePath: "/usr/bin/env")
        build.arguments = [
            "swift", "build", "--package-path", root.path(percentEncoded: false),
            "--scratch-path", scratch.path(percentEncoded: false), "--target", "ScopedInjection", "--jobs", "2",
            "--quiet",
        ]
        // Its own output is not for the table.
        build.standardOutput = FileHandle.standardError
        let clock = ContinuousClock()
        let duration = try clock.measure {
            try build.run()
            build.waitUntilExit()
        }
        guard build.terminationStatus == 0 else { throw Failure(description: "the core does not build") }
        return duration / .seconds(1)
    }

    /// The package that this one measures, three folders above its sources.
    private static var root: URL { URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL }
}
