import Synchronization

/// What runs now for a value, and for how long.
struct Progress: Hashable {
    /// For how long its builder has been running; zero if nobody has waited for it and nobody observes.
    var building: Duration?
    /// For how long the run of a deferred value has been going.
    var making: Duration?
    /// For how long what was let go of has not ended.
    var ending: Duration?

    /// Parts of a line of text.
    var texts: [String] {
        [
            building.map { $0 == .zero ? "being built" : "being built for \($0.text)" },
            making.map { "being made for \($0.text)" },
            ending.map { "being ended for \($0.text)" },
        ]
        .compactMap { $0 }
    }
}

/// The caller holds a line.
extension UnsafeMutablePointer where Pointee == Node {
    /// What runs now for values that this scope keeps, or would keep.
    var progress: [ValueKey: Progress] {
        var (all, builds): ([ValueKey: Progress], [Build]) = ([:], [])
        if pointee.flags.contains(.left) {
            for (value, time) in withScope({ Ending.shared.times(of: $0) }) { all[value] = Progress(ending: time) }
        }
        if let turn = pointee.turn, let value = turn.value, let since = turn.since {
            all[value, default: Progress()].ending = since.time
        }
        pointee.announcing.withLock {
            var at = pointee.builds.load(ordering: .relaxed)
            while let build = at {
                builds.append(build.object)
                at = build.nextAtScope
            }
        }
        for build in builds {
            all[build.key, default: Progress()].building = build.since?.time ?? .zero
        }
        return all
    }
}
