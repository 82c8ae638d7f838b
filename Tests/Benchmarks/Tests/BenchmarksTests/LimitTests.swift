import Foundation
import Testing

@testable import Harness

@Suite("A line is over its limit, or it is not")
struct LimitTests {
    @Test(
        "The limit itself is kept",
        arguments: [
            (Limit.atMost(2.5), 2.5, false), (.atMost(2.5), 2.51, true), (.atMost(0), 0, false),
            (.atMost(0), 0.001, true),
            (.atLeast(1.6), 1.6, false), (.atLeast(1.6), 1.59, true),
        ]
    )
    func limits(limit: Limit, value: Double, isOver: Bool) throws {
        #expect(try outcome(value, limit).isOver == isOver)
    }

    @Test("What is no number keeps no limit", arguments: [Limit.atMost(2.5), .atLeast(1.6)])
    func noNumber(limit: Limit) throws {
        #expect(try outcome(.nan, limit).isOver)
    }

    @Test("A line without a limit, or without a measurement, is never over")
    func neverOver() throws {
        #expect(try !outcome(1_000, nil).isOver)
        #expect(try !outcome(nil, .atMost(1)).isOver)
    }

    @Test(
        "An aim is met by itself and by what is better, and never decides whether a line is over",
        arguments: [
            (Limit.atMost(5, aim: 3), 3, true, false), (.atMost(5, aim: 3), 3.01, false, false),
            (.atMost(5, aim: 3), 5.01, false, true), (.atLeast(0.8, aim: 0.95), 0.95, true, false),
            (.atLeast(0.8, aim: 0.95), 0.94, false, false), (.atMost(5), 1, false, false),
            (.atMost(5, aim: 3), .nan, false, true),
        ]
    )
    func aims(limit: Limit, value: Double, isMet: Bool, isOver: Bool) throws {
        let outcome = try outcome(value, limit)
        #expect(outcome.isAimMet == isMet)
        #expect(outcome.isOver == isOver)
    }

    @Test("What was not measured meets no aim")
    func aimWithoutMeasurement() throws {
        #expect(try !outcome(nil, .atMost(5, aim: 3)).isAimMet)
    }

    @Test("The server is measured only where it is asked for")
    func server() {
        let line = Line(.server, "Section", "name", .times) { _ in nil }
        #expect(!line.isSelected([], nil))
        #expect(!line.isSelected([.times], "name"))
        #expect(line.isSelected([.server], nil))
    }

    @Test("A run fails if any line is over, and only then")
    func run() throws {
        let good = try outcome(1, .atMost(2))
        let bad = try outcome(3, .atMost(2))
        let free = try outcome(3, nil)
        #expect(!isAnyOver([]))
        #expect(!isAnyOver([good, free]))
        #expect(isAnyOver([good, bad, free]))
        #expect(summary(of: [good, bad, free]) == "3 lines, 2 with a limit, 1 over it")
    }

    @Test("The table marks what is over, and heads each section once")
    func table() throws {
        let outcomes = [
            try outcome(2.504, .atMost(2.5), nanoseconds: 70.12),
            try outcome(1.7, .atLeast(1.6)),
            try outcome(3, nil),
            try outcome(nil, .atMost(1)),
            try outcome(2.1, .atMost(2.3, aim: 1.8)),
            try outcome(1.75, .atMost(2.3, aim: 1.8)),
            try outcome(0.7, .atLeast(0.8, aim: 0.95)),
        ]
        var table = Table(nameWidth: 4)
        let expected = """

            Section
              name            2.50 T       70.1 ns            ≤ 2.5 T              OVER
              name            1.70 T                          ≥ 1.6 T              ok
              name            3.00 T
              name      not measured                            ≤ 1 T
              name            2.10 T                          ≤ 2.3 T  aim 1.8     ok
              name            1.75 T                          ≤ 2.3 T  aim 1.8     ok, as aimed
              name            0.70 T                          ≥ 0.8 T  aim 0.95    OVER
            """
        #expect(outcomes.map { table.text(for: $0) }.joined(separator: "\n") == expected)
    }

    @Test(
        "Lines are chosen by kind, and by a text in heading or name",
        arguments: [
            ([], nil, true), ([.times], nil, true), ([.counts, .build], nil, false), ([], "NAME", true),
            ([], "section: n", true), ([.times], "other", false),
        ] as [([Line.Kind], String?, Bool)]
    )
    func selection(kinds: [Line.Kind], filter: String?, isSelected: Bool) {
        #expect(line(1, nil).isSelected(kinds, filter) == isSelected)
    }

    @Test("What another program reports looks the same in the table, and is over the same limit")
    func report() throws {
        let lines = [line(2.504, .atMost(2.5, aim: 2), nanoseconds: 70.12), line(nil, .atLeast(1))]
        let pipe = Pipe()
        try Report.write(lines, .quick, to: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        var received: [Outcome] = []
        try Report.read(from: pipe.fileHandleForReading) { received.append($0) }
        #expect(received.map(\.isOver) == [true, false])
        var (here, there) = (Table(), Table())
        #expect(try received.map { there.text(for: $0) } == lines.map { here.text(for: try $0.run(.quick)) })
    }

    private func outcome(_ value: Double?, _ limit: Limit?, nanoseconds: Double? = nil) throws -> Outcome {
        try line(value, limit, nanoseconds: nanoseconds).run(.quick)
    }

    private func line(_ value: Double?, _ limit: Limit?, nanoseconds: Double? = nil) -> Line {
        Line(.times, "Section", "name", .reads, limit) { _ in
            value.map { Line.Measurement($0, nanoseconds: nanoseconds) }
        }
    }
}
