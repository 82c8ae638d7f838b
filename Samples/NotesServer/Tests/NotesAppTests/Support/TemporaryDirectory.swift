import Foundation

/// Runs a test with a directory that is removed afterwards.
func withTemporaryDirectory<Result>(_ test: (URL) async throws -> Result) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: "NotesAppTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await test(directory)
}
