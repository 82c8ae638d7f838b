internal import BlackHole

/// What the costs of the library are compared with: a plain task-local.
public enum Baselines {
    @TaskLocal static var service: Service?

    /// Runs `body` with the task-local bound.
    public static func bound(_ service: Service, _ body: () -> Void) { $service.withValue(service, operation: body) }

    /// T: reads the bound task-local.
    @inline(never)
    public static func read(_ count: Int) {
        for _ in 0..<count { blackHole(service?.number ?? 0) }
    }

    /// P: binds the task-local, reads it and unbinds it.
    @inline(never)
    public static func pushReadPop(_ count: Int, _ value: Service) {
        for _ in 0..<count { $service.withValue(value) { blackHole(service?.number ?? 0) } }
    }
}
