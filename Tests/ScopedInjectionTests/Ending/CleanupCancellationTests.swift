import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var config: ScopeValue<Int> { .value(0) }
    /// Fails where the configuration is negative.
    fileprivate static var pool: ScopeValue<Product> {
        .lazy { reader in
            let (log, config) = (try reader.log, try reader.config)
            reader.onClose { log.add("plain: \(Task.isCancelled)") }
            reader.onClose { () async in log.add("awaited: \(Task.isCancelled)") }
            reader.onClose { log.add("plain: \(Task.isCancelled)") }
            if config < 0 { throw CancellationError() }
            return Product("\(config)")
        }
    }
    fileprivate static var plain: ScopeValue<Product> {
        .lazy { reader in
            let (log, config) = (try reader.log, try reader.config)
            reader.onClose { log.add("plain: \(Task.isCancelled)") }
            if config < 0 { throw CancellationError() }
            return Product("\(config)")
        }
    }
}

/// How cleanups come to run.
private enum CancelledWay: CaseIterable, Sendable {
    case close, closeWithin, withChild, failedConfiguration, set, update, reload, discard, refused, late

    /// Lets a cancelled task end what it builds.
    func run(_ app: EnvironmentScope) async {
        withUnsafeCurrentTask { $0?.cancel() }
        if self != .refused, self != .withChild, self != .failedConfiguration { _ = (app.pool, app.plain) }
        switch self {
        case .close: await app.close()
        case .closeWithin: await app.close(within: .seconds(60))
        case .withChild:
            await app.withChild {
                $0.config = 1
            } operation: {
                _ = (EnvironmentScope.current.pool, EnvironmentScope.current.plain)
            }
        case .failedConfiguration:
            _ = try? EnvironmentScope(parent: app) {
                $0.config = 1
                _ = ($0.pool, $0.plain)
                throw CancellationError()
            }
        case .set: app.config = 1
        case .update: try? app.update { $0.config = 1 }
        case .reload: try? await app.reload(closingWithin: .seconds(60)) { $0.config = 1 }
        case .discard: await app.discardBuiltValues()
        case .refused:
            app.config = -1
            _ = (try? app.value(for: \.pool), try? app.value(for: \.plain))
        case .late:
            await app.close()
            app.onClose { [log = app.log] in log.add("plain: \(Task.isCancelled)") }
        }
    }
}

@Suite("R11: no cleanup is cancelled", .programRoots)
struct CleanupCancellationTests {
    @Test("Whatever lets it run in a cancelled task, and if it has to be awaited", arguments: CancelledWay.allCases)
    private func ways(way: CancelledWay) async {
        let log = Log()
        let app = EnvironmentScope("app", parent: nil) { $0.log = log }
        await Task { await way.run(app) }.value
        await app.close()
        let lines = log.lines
        #expect(lines.count >= 4)
        #expect(Set(lines) == ["plain: false", "awaited: false"])
    }
}
