import ScopedInjection
import Testing

private let lineOfHelper = #line + 1
private func fromEnvironment(_ variable: String) -> ScopeValue<String> { .lazy { _ in variable } }

private func passedOn(
    _ variable: String,
    name: StaticString = #function,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    column: UInt = #column
) -> ScopeValue<String> { .lazy(name: name, fileID: fileID, line: line, column: column) { _ in variable } }

extension ScopeValues {
    fileprivate static var apiKey: ScopeValue<String> { fromEnvironment("API_KEY") }
    fileprivate static var first: ScopeValue<String> { passedOn("FIRST") }
    fileprivate static var second: ScopeValue<String> { passedOn("SECOND") }
    fileprivate static var both: [ScopeValue<String>] { [passedOn("LEFT"), passedOn("RIGHT")] }
    fileprivate static func size<Element>(of _: Element.Type) -> ScopeValue<Int> { .value(1) }
    fileprivate static func limit<Element>(of _: Element.Type) -> ScopeValue<Int> {
        .value(1, id: ObjectIdentifier(Element.self))
    }
    fileprivate static func list<Element: Sendable>(of _: Element.Type) -> ScopeValue<[Element]> { .value([], id: 0) }
    fileprivate static func only() -> ScopeValue<Int> { .value(1) }
    fileprivate static func graph(_ number: Int) -> ScopeValue<Int> { .value(1, id: number) }
    fileprivate static let lineOfPrice = #line + 1
    fileprivate static func price(at rate: Double) -> ScopeValue<Int> { .value(7, id: rate) }
    fileprivate static let lineOfStored = #line + 1
    fileprivate static let stored = ScopeValue<Int>.value(1)
    fileprivate static let storedWithID = ScopeValue<Int?>.required(id: 1)
    fileprivate static let storedWithName = ScopeValue<Int>.value(1, name: "renamed")
}

@Suite("R15: a place declares one value", .programRoots)
struct OnePlaceTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("A declaration that takes parameters and has no id ends the program at its first use")
    func parameters() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = EnvironmentScope.empty(parent: nil).apiKey
        }
        let text = """
            fromEnvironment(_:), which declares a value at ScopedInjectionTests/OnePlaceTests.swift:\(lineOfHelper), \
            takes parameters, and would be one value for all of them.
              To fix it: give an id made of them (id: name); a helper for declarations takes \
            name: StaticString = #function, fileID: StaticString = #fileID, line: UInt = #line, \
            column: UInt = #column, and passes them on.
            """
        expect(result, saysExactly: text)
    }

    @Test("An id that is not equal to itself ends the program, because no later use could find the value")
    func idUnequalToItself() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            useProgramRoots()
            let app = EnvironmentScope.empty("app", parent: nil)
            guard app[ScopeValues.price(at: 1)] == 7 else { return }
            _ = app[ScopeValues.price(at: .nan)]
        }
        let text = """
            The id of price(at:), which declares a value at ScopedInjectionTests/OnePlaceTests.swift:\(ScopeValues.lineOfPrice), \
            is not equal to itself: nan.
              To fix it: give an id that is the same each time, not a number that may be NaN.
            """
        expect(result, saysExactly: text)
    }

    @Test("A generic declaration without an id ends the program: its values could be of one type for all arguments")
    func generic() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ScopeValues.size(of: Int.self)
        }
        expect(result, says: "Fatal error: size(of:), which declares a value at ")
    }

    @Test("A generic one whose id is its type has one value for each, named like the function") func byType() {
        app[ScopeValues.limit(of: Int.self)] = 7
        #expect(app[ScopeValues.limit(of: String.self)] == 1)
        #expect(app.explain({ $0.limit(of: Int.self) }).name == "limit")
    }

    @Test("Values of two types are two values, also at one place and with one id") func byTypeOfValue() {
        app[ScopeValues.list(of: Int.self)] = [7]
        #expect(app[ScopeValues.list(of: String.self)] == [])
        #expect(app[ScopeValues.list(of: Int.self)] == [7])
    }

    @Test("A helper that passes on its place and name declares the value of its caller") func passedOnByHelper() {
        #expect([app.first, app.second] == ["FIRST", "SECOND"])
        #expect([app.explain(\.first).name, app.explain(\.second).name] == ["first", "second"])
        #expect(ScopeValues.both.map { app[$0] } == ["LEFT", "RIGHT"])
    }

    @Test("A function without parameters declares one value")
    func withoutParameters() { #expect(app[ScopeValues.only()] == 1) }

    @Test("A declaration in a stored property ends the program at its first use") func stored() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = EnvironmentScope.empty(parent: nil).stored
        }
        let text = """
            The value of type Int declared at ScopedInjectionTests/OnePlaceTests.swift:\(ScopeValues.lineOfStored) is in a \
            stored property, or named like a type (ScopeValues).
              To fix it: declare it in a computed property, whose name begins with a small letter: \
            static var port: ScopeValue<Int> { .value(8080) }.
            """
        expect(result, saysExactly: text)
    }

    @Test("A declaration with an id in a stored property ends the program; one with a name of its own is known by that")
    func storedOtherwise() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ScopeValues.storedWithID
        }
        let place = "\(#fileID):\(ScopeValues.lineOfStored + 1)"
        expect(result, says: "The value of type Int? declared at \(place) is in a stored property")
        #expect(app.explain(\.storedWithName).name == "renamed")
    }

    @Test("A value with the name of a member of EnvironmentScope ends the program at its first use")
    func takenName() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ScopeValue<[Int?]>.value([], name: "graph", fileID: "Shop/Values.swift", line: 7)
        }
        let text = """
            The value graph ([Int?]) declared at Shop/Values.swift:7 has the name of a member of EnvironmentScope or \
            ScopeReader, which hides it.
              To fix it: give the property another name.
            """
        expect(result, saysExactly: text)
    }

    @Test("A family may have such a name, because it is no member")
    func takenNameOfFamily() { #expect(app[ScopeValues.graph(1)] == 1) }
}
