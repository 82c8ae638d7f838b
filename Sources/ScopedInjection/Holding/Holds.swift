/// Who holds a resource, and how far its end is: a state machine in one word, which knows no thread and no pointer.
///
/// A resource is *held* by its keeper (the list of a scope), by each resource that was built from it and has not ended, by each build
/// under way that has read it, and by the bodies that may use it though it was let go of. It is *used* by its keeper, by bodies, and by
/// what was built from it and is used itself: so nobody who waits knows when that will let go. Nobody holds it again once nobody does.
package struct Holds: Hashable, Sendable {
    package private(set) var word = Holds.oneHold | Holds.oneUse

    /// How many hold it: the lowest bits.
    private static let oneHold: UInt64 = 1
    private static let held: UInt64 = oneUse - 1
    /// How many of them use it.
    private static let oneUse: UInt64 = 1 << 30
    private static let used: UInt64 = held << 30
    /// Its keeper has let go of it.
    private static let letGo: UInt64 = 1 << 61
    private static let over: UInt64 = 1 << 62
    private static let awaited: UInt64 = 1 << 63

    /// Its keeper holds it.
    package init() {}

    package init(word: UInt64) { self.word = word }

    package var isHeld: Bool { word & Holds.held != 0 }
    /// Whether only one holds it.
    package var isHeldOnce: Bool { word & Holds.held == Holds.oneHold }
    package var isUsed: Bool { word & Holds.used != 0 }
    package var isLetGo: Bool { word & Holds.letGo != 0 }
    package var isOver: Bool { word & Holds.over != 0 }
    package var isAwaited: Bool { word & Holds.awaited != 0 }

    /// Somebody holds it; false if its end has begun.
    package mutating func hold() -> Bool {
        if !isHeld { return false }
        word += Holds.oneHold
        return true
    }

    /// A holder lets go of it; whether its end begins.
    package mutating func release() -> Bool {
        precondition(isHeld, "a resource is released more often than it is held")
        word -= Holds.oneHold
        assert(isHeld || !isUsed && isLetGo, "what is used, or kept, begins to end")
        return !isHeld
    }

    /// Somebody who holds it begins to use it; whether it was unused, and whether somebody waits for its end.
    package mutating func use() -> (isFirst: Bool, isAwaited: Bool) {
        precondition(isHeld, "what nobody holds is used")
        defer { word += Holds.oneUse }
        return (!isUsed, isAwaited)
    }

    /// A user does not use it any more, but holds it still; whether it was the last one.
    package mutating func unuse() -> Bool {
        precondition(isUsed, "what nobody uses is used no more")
        word -= Holds.oneUse
        return !isUsed
    }

    /// Its keeper lets go of it, and holds it still; whether nobody uses it any more.
    package mutating func markLetGo() -> Bool {
        precondition(!isLetGo, "a resource is let go of twice")
        word |= Holds.letGo
        return unuse()
    }

    /// Somebody waits for its end; false if that is over, or if it is used.
    package mutating func wait() -> Bool {
        if isUsed || isOver { return false }
        word |= Holds.awaited
        return true
    }

    /// It has ended; whether somebody waits for that.
    package mutating func end() -> Bool {
        precondition(!isHeld && !isOver, "a resource ends that is held, or has ended")
        word |= Holds.over
        return isAwaited
    }
}
