import Foundation

#if os(Linux)
    /// The memory that the process uses.
    func residentBytes() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { Int($0[1]) } ?? 0) * 4096
    }
#endif
