import Synchronization

/// Some bodies that ran at one moment; its function is called once the last of them has left.
final class BodyGroup: Sendable {
    /// What is done while a line is held; it gives the rest, which is done without one.
    ///
    /// So nobody finds what a body has held without the body.
    typealias WhenLeft = @Sendable () -> @Sendable () -> Void

    fileprivate let remaining: Atomic<Int>
    fileprivate let whenLeft: WhenLeft

    fileprivate init(of count: Int, _ whenLeft: @escaping WhenLeft) {
        remaining = Atomic(count)
        self.whenLeft = whenLeft
    }
}

/// Code that runs in a scope until it returns, as an anchor in the list of the line on which it has begun.
///
/// So whoever holds the lines of all readers of a scope knows which bodies run in it or further in, and none comes or leaves meanwhile.
extension Anchor {
    /// The body begins; the caller holds a line under which the scope may be read.
    @inline(__always)
    func begin(_ line: Int) {
        let (this, lines) = (Borrowed(self), Lines.shared)
        (self.line, isBody) = (line, true)
        nextOnLine = lines.bodies(line)
        nextOnLine?.with { $0.previousOnLine = this }
        lines.setBodies(this, line)
        node.unsafelyUnwrapped.count(bodies: 1, line)
    }

    /// The body has returned, and keeps nothing in force any more; no line is held.
    @inline(__always)
    func leaveAll() {
        let lines = Lines.shared
        lines.lock(line)
        end()
        let rest = group == nil && whenLeft == nil ? nil : leaveGroups()
        // By handles of the same line.
        let (scope, outer) = releaseFirst()
        finishRetaining()
        lines.unlock(line)
        scope?.release()
        KeptChain.release(all: outer)
        if let rest { for next in rest { next() } }
    }

    /// The same of a body whose anchor something goes on to refer to.
    @inline(never)
    func leave() {
        let lines = Lines.shared
        lines.lock(line)
        end()
        let rest = group == nil && whenLeft == nil ? [] : leaveGroups()
        lines.unlock(line)
        for next in rest { next() }
    }

    @inline(__always)
    private func end() {
        let (next, previous) = (nextOnLine, previousOnLine)
        if let previous { previous.with { $0.nextOnLine = next } } else { Lines.shared.setBodies(next, line) }
        next?.with { $0.previousOnLine = previous }
        (nextOnLine, previousOnLine) = (nil, nil)
        node.unsafelyUnwrapped.count(bodies: -1, line)
        isBody = false
    }

    /// Adds the body to a group; the caller holds its line.
    @inline(__always)
    fileprivate func join(_ new: Borrowed<BodyGroup>) {
        if group == nil { group = new } else { otherGroups.append(new) }
    }

    @inline(never)
    private func leaveGroups() -> [@Sendable () -> Void] {
        let groups = (group.map { [$0] } ?? []) + otherGroups
        (group, otherGroups) = (nil, [])
        let left = groups.filter {
            $0.with { $0.remaining.subtract(1, ordering: .acquiringAndReleasing).newValue } == 0
        }
        return left.map { $0.take().whenLeft() } + (whenLeft.take().map { [$0] } ?? [])
    }

    /// The id by which a call waits for the body.
    var id: UInt64 { UInt64(UInt(bitPattern: Borrowed(self).address)) | 2 }

    /// The id, if the code that runs in the anchor is a body that has not left.
    var idOfBody: UInt64? {
        if line < 0 { return nil }
        Lines.shared.lock(line)
        defer { Lines.shared.unlock(line) }
        return isBody ? id : nil
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// Counts a body of the scope itself that comes or leaves; the caller holds its line.
    @inline(__always)
    fileprivate func count(bodies change: Int, _ line: Int) {
        // The only reader needs no locked operation: whoever else comes needs this line first.
        if pointee.readers.load(ordering: .relaxed) == Lines.bit(line) {
            pointee.bodies.store(pointee.bodies.load(ordering: .relaxed) &+ change, ordering: .relaxed)
        } else {
            pointee.bodies.wrappingAdd(change, ordering: .relaxed)
        }
    }

    /// Whether the scope is one further in than another one; the caller holds a line.
    @inline(__always)
    func isFurtherIn(than outer: NodePointer) -> Bool {
        var at = next
        while let node = at {
            if node == outer { return true }
            at = node.next
        }
        return false
    }

    /// Whether more than so many bodies may run in the scope or further in, as far as that is known without a search; the caller has
    /// called `startWriting`.
    func mayHaveBodies(moreThan count: Int) -> Bool {
        isKeptFromFurtherIn || pointee.bodies.load(ordering: .relaxed) > count
    }

    /// The bodies that run in the scope or further in, and their scopes; the caller has called `startWriting`.
    ///
    /// - Parameter isFurtherIn: Whether those in the scope itself are left out.
    func bodies(isFurtherIn: Bool = false) -> [(body: Borrowed<Anchor>, scope: NodePointer)] {
        if !mayHaveBodies(moreThan: isFurtherIn ? .max : 0) { return [] }
        let lines = pointee.lines
        var found: [(body: Borrowed<Anchor>, scope: NodePointer)] = []
        for line in linesOfReaders {
            var at = lines.bodies(line)
            while let anchor = at {
                let inner = anchor.node.unsafelyUnwrapped
                if inner == self ? !isFurtherIn : inner.isFurtherIn(than: self) { found.append((anchor, inner)) }
                at = anchor.nextOnLine
            }
        }
        return found
    }

    /// Calls a function once all bodies have left that run now in the scope or further in; the caller has called `startWriting`.
    ///
    /// False, and it is not called, if there are none.
    ///
    /// - Parameter isFurtherIn: Whether those in the scope itself are left out.
    func whenLeft(isFurtherIn: Bool, _ whenLeft: @escaping BodyGroup.WhenLeft) -> Bool {
        let all = bodies(isFurtherIn: isFurtherIn)
        if all.isEmpty { return false }
        // None leaves before the lines are unlocked.
        let group = Borrowed.retaining(BodyGroup(of: all.count, whenLeft))
        for (body, _) in all { body.with { $0.join(group) } }
        return true
    }
}
