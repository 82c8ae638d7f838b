#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif os(Windows)
    import WinSDK
#elseif canImport(wasi_pthread)
    import wasi_pthread
#endif

/// What the system keeps an address by for each thread.
enum ThreadKey {
    #if os(Windows)
        typealias Number = DWORD
    #elseif os(WASI) && !canImport(wasi_pthread)
        typealias Number = UInt
        /// That of the only thread, which ends with the program.
        private nonisolated(unsafe) static var address: UnsafeMutableRawPointer?
    #else
        typealias Number = pthread_key_t
    #endif

    #if canImport(Darwin)
        typealias End = @convention(c) (UnsafeMutableRawPointer) -> Void
    #else
        typealias End = @convention(c) (UnsafeMutableRawPointer?) -> Void
    #endif

    /// A new key.
    ///
    /// - Parameter end: Is given the address of each thread that ends.
    static func make(_ end: @escaping End) -> Number {
        #if os(Windows)
            let key = FlsAlloc(end)
            precondition(key != FLS_OUT_OF_INDEXES, "the process has no thread-specific keys left")
        #elseif os(WASI) && !canImport(wasi_pthread)
            let key = Number(0)
        #else
            var key = Number()
            let failure = pthread_key_create(&key, end)
            precondition(failure == 0, "the process has no thread-specific keys left")
        #endif
        return key
    }

    /// The address of the calling thread.
    @inline(__always)
    static func address(of key: Number) -> UnsafeMutableRawPointer? {
        #if os(Windows)
            FlsGetValue(key)
        #elseif os(WASI) && !canImport(wasi_pthread)
            address
        #else
            pthread_getspecific(key)
        #endif
    }

    /// Sets the address of the calling thread.
    static func set(_ address: UnsafeMutableRawPointer, of key: Number) {
        #if os(Windows)
            _ = FlsSetValue(key, address)
        #elseif os(WASI) && !canImport(wasi_pthread)
            self.address = address
        #else
            pthread_setspecific(key, address)
        #endif
    }

    static func delete(_ key: Number) {
        #if os(Windows)
            _ = FlsFree(key)
        #elseif !os(WASI) || canImport(wasi_pthread)
            pthread_key_delete(key)
        #endif
    }

    /// A key as a word that is never 0, although Android's are negative.
    @inline(__always)
    static func word<Key: FixedWidthInteger>(of key: Key) -> UInt { UInt(truncatingIfNeeded: key) &+ 1 }

    /// The key of a word; nil for 0.
    @inline(__always)
    static func key<Key: FixedWidthInteger>(of word: UInt) -> Key? {
        word == 0 ? nil : Key(truncatingIfNeeded: word &- 1)
    }
}
