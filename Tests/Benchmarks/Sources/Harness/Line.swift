/// One line of the table: what is measured, and what it may be.
public struct Line: Sendable {
    /// What a line says something about.
    public enum Kind: String, CaseIterable, Sendable {
        /// How long an operation takes, as a ratio.
        case times
        /// How much more two threads get done than one.
        case threads
        /// Allocations and bytes; the same in each run.
        case counts
        /// How long the core takes to build.
        case build
        /// What a real server keeps of its throughput; only where it is asked for.
        case server
    }

    /// What is measured with.
    public enum Unit: String, Codable, Sendable {
        /// Reads of a bound task-local.
        case reads = "T"
        /// Bindings of a task-local, with a read.
        case bindings = "P"
        /// Times something else.
        case times = "×"
        /// Blocks of the heap.
        case allocations = "allocations"
        /// Bytes of the heap.
        case bytes = "bytes"
        /// Seconds.
        case seconds = "s"
    }

    /// What was measured.
    public struct Measurement: Codable, Sendable {
        let value: Double
        let nanoseconds: Double?

        /// Creates a measurement.
        ///
        /// - Parameters:
        ///   - value: In the unit of the line.
        ///   - nanoseconds: What one operation took, where that is not the same.
        public init(_ value: Double, nanoseconds: Double? = nil) {
            self.value = value
            self.nanoseconds = nanoseconds
        }

        /// The ratio, and what the subject took.
        public init(_ comparison: Comparison) { self.init(comparison.ratio, nanoseconds: comparison.nanoseconds) }
    }

    /// What it says something about.
    let kind: Kind
    let section: String
    let name: String
    let unit: Unit
    let limit: Limit?
    private let measure: @Sendable (Effort) throws -> Measurement?

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - kind: What it says something about.
    ///   - section: The heading it stands under.
    ///   - name: What is measured.
    ///   - unit: What the measured value and the limit are given in.
    ///   - limit: What it may be; nil for a line that only informs.
    ///   - measure: Gives nil where it cannot be measured on this machine.
    public init(
        _ kind: Kind,
        _ section: String,
        _ name: String,
        _ unit: Unit,
        _ limit: Limit? = nil,
        measure: @escaping @Sendable (Effort) throws -> Measurement?
    ) {
        self.kind = kind
        self.section = section
        self.name = name
        self.unit = unit
        self.limit = limit
        self.measure = measure
    }

    /// Whether the line is asked for.
    public func isSelected(_ kinds: [Kind], _ filter: String?) -> Bool {
        guard kinds.contains(kind) || kinds.isEmpty && kind != .server else { return false }
        guard let filter else { return true }
        return "\(section): \(name)".lowercased().contains(filter.lowercased())
    }

    /// Measures it.
    public func run(_ effort: Effort) throws -> Outcome {
        Outcome(section: section, name: name, unit: unit, limit: limit, measurement: try measure(effort))
    }
}
