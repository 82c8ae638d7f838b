import NotesApp
import ScopedInjection
import ServiceLifecycle
import UnixSignals

/// Reads the settings again at each signal.
struct SettingsReloading: Service {
    let scope: EnvironmentScope
    let signals: UnixSignalsSequence

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { await scope.reloadSettings() }
    }
}
