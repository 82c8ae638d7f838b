#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Raw memory, from the C library if its alignment is enough.
///
/// The standard library asks for an aligned block each time, which takes twice as long.
enum Memory {
    /// The alignment of `malloc` on every platform.
    private static let usualAlignment = 16

    @inline(__always)
    static func allocate(_ byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer {
        if alignment <= usualAlignment, let memory = malloc(byteCount) { return memory }
        return .allocate(byteCount: byteCount, alignment: alignment)
    }

    @inline(__always)
    static func deallocate(_ memory: UnsafeMutableRawPointer, alignment: Int) {
        if alignment <= usualAlignment { free(memory) } else { memory.deallocate() }
    }
}
