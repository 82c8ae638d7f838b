/// The builds that may not go on before a read is over, innermost first, and the way from the read to each.
///
/// They are those that need it, and those on other threads whose builders may wait for a thread that reads through one of
/// their scopes.
struct Waiters {
    private(set) var builds: [Build] = []
    /// For each build the one before it on the way; -1 at the read.
    private var before: [Int] = []

    init(of outer: Build?, _ within: Build?) {
        if let outer { add(outer, after: -1) }
        guard let within else { return }
        add(within, after: builds.prefix { $0.thread == ThreadState.current }.count - 1)
    }

    /// Adds a build, those that need it, and those that wait for them.
    private mutating func add(_ build: Build, after last: Int) {
        var open = [(build, last)]
        while let (first, start) = open.popLast() {
            var last = start
            let known = builds.count
            for build in first.ancestry {
                if builds.prefix(known).contains(where: { $0 === build }) { break }
                builds.append(build)
                before.append(last)
                last = builds.count - 1
                if let within = build.within { open.append((within, last)) }  // fault: built-within
            }
        }
    }

    /// The way from the read to a build, outermost first.
    func way(to index: Int) -> [Build] {
        sequence(first: index) { before[$0] }.prefix { $0 >= 0 }.map { builds[$0] }
    }
}
