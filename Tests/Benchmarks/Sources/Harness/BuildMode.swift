/// How a program was compiled.
public enum BuildMode {
    /// Whether it is a debug build, in which times mean nothing.
    public static var isDebug: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// Why a debug build takes no times.
    public static let complaint =
        "Times mean nothing in a debug build: run with -c release, or with --only counts."
}
