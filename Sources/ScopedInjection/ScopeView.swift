/// What the function of a reference reads from.
///
/// ```swift
/// struct Page {
///     @Injected({ view in "\(view.host):\(view.port)" })
///     var address
///     @Injected(\.user?.name) var userName
/// }
/// ```
///
/// It reads as the reference's scope does, or the current one; in a builder, its reads are inputs. A read that fails ends the
/// program. Use it on the thread that called the function, before that returns.
@dynamicMemberLookup
public struct ScopeView {
    private let context: ReadingContext

    init(_ context: ReadingContext) { self.context = context }

    /// The value.
    @inlinable
    public subscript<Value>(
        dynamicMember path: any KeyPath<ScopeValues.Type, ScopeValue<Value>> & Sendable
    ) -> Value {
        read(ScopeValues.self[keyPath: path])
    }

    /// The value of a family: `view[ScopeValues.flag("beta")]`.
    public subscript<Value>(_ value: ScopeValue<Value>) -> Value { read(value) }

    @usableFromInline
    func read<Value>(_ value: ScopeValue<Value>) -> Value {
        do throws(ScopeError) { return try context.value(of: value.key) } catch { error.endProgram(in: context.asking) }
    }
}

@available(*, unavailable)
extension ScopeView: Sendable {}
