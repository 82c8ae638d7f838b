/// A key that is held without being counted.
///
/// All threads that read a value would contend for the count of its key. Keys are never freed, so no count is needed.
struct KeyReference<Value>: Sendable {
    private let unmanaged: Unmanaged<TypedKey<Value>>

    init(_ key: TypedKey<Value>) { unmanaged = .passUnretained(key) }

    /// The key, counted while the caller uses it.
    var key: TypedKey<Value> { unmanaged.takeUnretainedValue() }

    /// Calls a function with the key, which is not counted.
    @inline(__always)
    func callAsFunction<Result>(_ body: (TypedKey<Value>) throws -> Result) rethrows -> Result {
        try unmanaged._withUnsafeGuaranteedRef(body)
    }
}
