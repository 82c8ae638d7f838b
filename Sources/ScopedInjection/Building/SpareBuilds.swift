/// Builds that are used again, so that building a value allocates none.
extension Build {
    /// How many builds a thread leaves, because builders may once be nested very deep.
    private static let mostSpares = 64

    /// A build that has begun, owned by the caller.
    static func make(_ key: ValueKey, _ decision: Decision, _ asking: NodePointer, _ thread: ThreadState.Pointer)
        -> Unmanaged<Build>
    {
        guard let spare = thread.pointee.spareBuilds.popLast() else {
            return .passRetained(Build(key, decision, asking, thread))
        }
        let build = Unmanaged<Build>.fromOpaque(spare.toOpaque())
        build._withUnsafeGuaranteedRef { $0.begin(key, decision, asking, thread) }
        return build
    }

    /// Leaves a build that is over as a spare on this thread, unless something else refers to it.
    static func recycle(_ build: Unmanaged<Build>) {
        guard build.isUniquelyReferenced else { return build.release() }
        build._withUnsafeGuaranteedRef { $0.clear() }
        let thread = ThreadState.current
        guard thread.pointee.spareBuilds.count < mostSpares else { return build.release() }
        thread.pointee.spareBuilds.append(.fromOpaque(build.toOpaque()))
    }
}
