/// What something takes that is too long to be done a thousand times.
public enum Repetition {
    /// The median of three times, in seconds.
    ///
    /// - Parameters:
    ///   - prepare: Makes what each of them needs; not measured.
    ///   - body: What is measured.
    public static func seconds<Subject>(preparing prepare: () -> Subject, _ body: (Subject) -> Void) -> Double {
        median(
            (0..<3).map { _ in
                let subject = prepare()
                return ContinuousClock().measure { body(subject) } / .seconds(1)
            }
        )
    }
}
