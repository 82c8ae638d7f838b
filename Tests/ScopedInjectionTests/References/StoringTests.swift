import Foundation
import ScopedInjection
import Synchronization
import Testing

/// Its mirror shows a neighbour that is made anew each time, so a walk through it would never end.
private final class Cursor: Sendable, CustomReflectable {
    let index: Int
    init(_ index: Int) { self.index = index }
    var customMirror: Mirror { Mirror(self, children: ["next": Cursor((index + 1) % 10)]) }
}

/// Counts the reads of its mirror.
private final class Counted: Sendable, CustomReflectable {
    static let asked = Atomic(0)
    var customMirror: Mirror {
        Self.asked.wrappingAdd(1, ordering: .relaxed)
        return Mirror(self, children: [:])
    }
}

private final class Owner: Sendable {}

/// Refers to an owner that may be gone.
private final class Delegate: Sendable {
    unowned let owner: Owner
    init(_ owner: Owner) { self.owner = owner }

    static var dangling: Delegate { Delegate(Owner()) }
}

/// Guards its state with a lock of its own, so that no other code may read it.
private final class Cache: @unchecked Sendable {
    private let lock = NSLock()
    private var entries: [Int: String] = [:]

    func work(_ round: Int) { lock.withLock { entries[round % 100] = String(repeating: "x", count: round % 50) } }
}

/// How a scope is told of references.
private enum Known: CaseIterable {
    case nothing, explicit, replaced

    func prepare(_ scope: EnvironmentScope) -> Any {
        let service = BoundService()
        switch self {
        case .nothing: break
        case .explicit: service.port.scope = scope
        case .replaced: scope.replace(in: service)
        }
        return service
    }
}

@Suite("R8: storing a value never looks into an object", .serialized)
struct StoringTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let request: EnvironmentScope

    init() { request = EnvironmentScope.empty("request", parent: app) }

    @Test("It does not read the object's mirror", arguments: Known.allCases)
    private func mirrors(_ known: Known) {
        let service = known.prepare(app)
        let before = Counted.asked.load(ordering: .relaxed)
        for scope in [app, request] {
            scope.anything = Counted()
            scope.anything = [Counted()]
            scope.anything = Cursor(0)
            scope.anything = (1, Cursor(0))
        }
        #expect(Counted.asked.load(ordering: .relaxed) == before)
        withExtendedLifetime(service) {}
    }

    @Test("It does not follow a reference to an object that is gone", arguments: Known.allCases)
    private func dangling(_ known: Known) {
        let service = known.prepare(app)
        for scope in [app, request] {
            scope.anything = Delegate.dangling
            #expect(scope.anything is Delegate)
            scope.anything = ["a": Delegate.dangling]
        }
        withExtendedLifetime(service) {}
    }

    @Test("It does not read properties that the object guards with its own lock", arguments: Known.allCases)
    private func guarded(_ known: Known) async {
        let service = known.prepare(app)
        let cache = Cache()
        let (app, request) = (app, request)
        await onThreads(2) { index in
            for round in 0..<2_000 {
                if index == 0 { cache.work(round) } else { (round % 2 == 0 ? app : request).anything = cache }
            }
        }
        #expect(app.anything is Cache)
        withExtendedLifetime(service) {}
    }

    @Test("If several threads remove a value at once, exactly one of them gets it")
    func removedTwice() async {
        let app = app
        for _ in 0..<500 {
            app.anything = Owner()
            let received = Box(0)
            await onThreads(2) { _ in
                if let value = app.removeValue(for: SendableKey.self), value != nil { received.update { $0 += 1 } }
            }
            if received.value != 1 { Issue.record("\(received.value) were given it") }
        }
    }
}
