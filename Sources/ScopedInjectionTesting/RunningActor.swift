import Foundation

/// The actor that the calling code runs on.
enum RunningActor {
    /// Whether there is one: whoever else awaits it waits as long as this code does not return.
    ///
    /// False, too, where the runtime does not tell.
    static var isKnown: Bool { executor.map { $0() != 0 } ?? false }

    /// Gives the first word of the running code's executor: the actor, or 0 where there is none.
    ///
    /// No public function does. The name may not be declared, so that it is looked up.
    private static let executor: (@convention(c) () -> UInt)? = {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
            guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_getCurrentExecutor") else { return nil }
            return unsafeBitCast(symbol, to: (@convention(c) () -> UInt).self)
        #else
            return nil
        #endif
    }()
}
