import ScopedInjection
import Testing

private final class Marked: Sendable {
    private let number: Int
    private let complement: Int

    init(_ number: Int) { (self.number, complement) = (number, ~number) }

    var isWhole: Bool { complement == ~number }
}

private protocol Checked: Sendable { var isWhole: Bool { get } }

/// Too large for the inline buffer of an existential.
private struct Row: Checked {
    let items: [Marked]
    let first: Marked
    let last: Marked
    let text: String

    init(_ number: Int) {
        items = [Marked(number), Marked(number)]
        (first, last) = (items[0], items[1])
        text = String(repeating: "text", count: 10)
    }

    var isWhole: Bool { items.count == 2 && first.isWhole && last.isWhole && text.utf8.count == 40 }
}

extension ScopeValues {
    fileprivate static var object: ScopeValue<Marked> { .value(Marked(0)) }
    fileprivate static var row: ScopeValue<Row?> { .optional() }
    fileprivate static var checked: ScopeValue<any Checked> { .value(Row(0)) }
}

private struct Reader: Sendable {
    @Injected(\.object) var object
    @Injected(\.row) var row
    @Injected(\.checked) var checked

    init(in scope: EnvironmentScope?) {
        $object.scope = scope
        $row.scope = scope
        $checked.scope = scope
    }

    var isWhole: Bool { object.isWhole && row?.isWhole != false && checked.isWhole }
}

@Suite("R9: what a reference reads is copied before another thread can replace it", .programRoots)
struct HeldReadTests {
    @Test("In an entered scope, and in the reference's own", arguments: [true, false], [true, false])
    func replacedWhileRead(isEntered: Bool, isInChild: Bool) async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let scope = isInChild ? EnvironmentScope.empty("request", parent: app) : app
        let reader = Reader(in: isEntered ? nil : scope)
        await onThreads(4) { index in
            func read() { for _ in 0..<5000 where !reader.isWhole { Issue.record("a value that was let go of") } }
            if index > 0 {
                if isEntered { scope { read() } } else { read() }
                return
            }
            for round in 0..<5000 {
                app.object = Marked(round)
                app.row = round % 3 == 0 ? nil : Row(round)
                app.checked = Row(round)
                if round % 16 == 0 { app.removeValue(for: \.object) }
            }
        }
    }
}
