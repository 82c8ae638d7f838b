/// Moments that no user code reaches, at which a test acts on the thread concerned; only debug builds ask for them.
package enum Pause {
    /// After a writer has seen which lines it needs, and before it takes them.
    @TaskLocal package static var beforeWriting: (@Sendable () -> Void)?
    /// After a look, and before what it found out of date is removed.
    @TaskLocal package static var beforeRemoval: (@Sendable () -> Void)?
    /// After the last reference to a scope is gone, and before other threads cannot find it any more.
    @TaskLocal package static var beforeCut: (@Sendable () -> Void)?

    /// After a value is kept, and before its build is over.
    @TaskLocal package static var afterPlacing: (@Sendable () -> Void)?
    /// Before a read waits for a build.
    @TaskLocal package static var beforeWaiting: (@Sendable () -> Void)?

    /// Before a builder's question for a parent is recorded, or the names in an error that it catches.
    @TaskLocal package static var beforeRecording: (@Sendable () -> Void)?
    /// After a build has failed, and before it is over.
    @TaskLocal package static var afterFailing: (@Sendable () -> Void)?

    /// Before the run of a deferred value calls the closure that makes it.
    @TaskLocal package static var beforeMaking: (@Sendable () -> Void)?

    /// Lets the test act; always true, for an assertion.
    static func at(_ action: (@Sendable () -> Void)?) -> Bool {
        action?()
        return true
    }
}
