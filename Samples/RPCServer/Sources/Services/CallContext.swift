import GRPCCore

/// What goes over the wire with each call, and on with the calls that are made for it.
package struct CallContext: Codable, Equatable, Sendable {
    /// What the first service called the request.
    package var requestID: String
    /// The trace, and the span of the caller: `00-<trace>-<span>-01`.
    package var traceParent: String
    /// When the caller stops waiting.
    package var deadline: ContinuousClock.Instant?

    /// The context in the metadata of a call, or a new one.
    init(_ metadata: Metadata) {
        requestID = metadata.first("request-id") ?? .hexadecimal(16)
        traceParent = metadata.first("traceparent") ?? "00-\(String.hexadecimal(32))-\(String.hexadecimal(16))-01"
        deadline = metadata.first("grpc-timeout").flatMap(Duration.init(timeout:)).map { .now + $0 }
    }

    /// Writes the context into the metadata of a call that is made for this one.
    func write(into metadata: inout Metadata) {
        var parts = traceParent.split(separator: "-").map(String.init)
        if parts.count == 4 { parts[2] = .hexadecimal(16) }
        metadata.replaceOrAddString(requestID, forKey: "request-id")
        metadata.replaceOrAddString(parts.joined(separator: "-"), forKey: "traceparent")
        if let deadline {
            let left = max(.zero, ContinuousClock.now.duration(to: deadline))
            metadata.replaceOrAddString("\(Int(left / .milliseconds(1)))m", forKey: "grpc-timeout")
        }
    }
}

extension Metadata {
    func first(_ key: String) -> String? { self[stringValues: key].first { _ in true } }
}

extension Duration {
    /// The time of a `grpc-timeout`, such as `5000m`.
    fileprivate init?(timeout: String) {
        let units: [Character: Duration] = [
            "H": .seconds(3600), "M": .seconds(60), "S": .seconds(1), "m": .milliseconds(1), "u": .microseconds(1),
            "n": .nanoseconds(1),
        ]
        guard let unit = timeout.last.flatMap({ units[$0] }), let count = Int(timeout.dropLast()) else { return nil }
        self = unit * count
    }
}

extension String {
    fileprivate static func hexadecimal(_ count: Int) -> String {
        String((0..<count).map { _ in "0123456789abcdef".randomElement() ?? "0" })
    }
}
