import Testing

@testable import ScopedInjection

extension ScopeValues {
    fileprivate static let guest = ScopeValue("nobody")
    fileprivate static let other = ScopeValue(0)
    fileprivate static let unrelated = ScopeValue("")
    fileprivate static let builds = ScopeValue(isSafeInTests: true) { _ in Builds() }
    /// A scope that a builder reads through.
    fileprivate static let middle = ScopeValue<EnvironmentScope>.required()

    fileprivate static let greeting = ScopeValue { scope in
        scope.builds.count("greeting")
        return "Hello \(scope.guest)"
    }
    fileprivate static let ofMiddle = ScopeValue { scope in
        scope.builds.count("ofMiddle")
        return "\(scope.middle.greeting) \(scope.other)"
    }
    fileprivate static let page = ScopeValue { scope in
        scope.builds.count("page")
        let greeting = scope.greeting
        return scope.builds.areLong.value ? "\(greeting), \(scope.ofMiddle)" : greeting
    }
    fileprivate static let signedOut = ScopeValue { scope in
        scope.builds.beforeGreeting.value()
        return scope.greeting
    }
}

private final class Builds: Sendable {
    private let counts = Box<[String: Int]>([:])
    /// Whether a page reads more than the greeting; no value that a scope knows of.
    let areLong = Box(false)
    /// What a builder does before it reads the greeting.
    let beforeGreeting = Box<@Sendable () -> Void>({})

    func count(_ name: String) { counts.update { $0[name, default: 0] += 1 } }
    func callAsFunction(_ name: String) -> Int { counts.value[name] ?? 0 }
}

@Suite("R4: values of the application that a request rebuilds, because it overrides what they were built from")
struct RebuiltRowTests {
    @Test("Each value of a row is built once for the request, and the application keeps its own")
    func row() {
        let builds = Box(0)
        let row = makeRow(301) { _ in builds.update { $0 += 1 } }
        let app = EnvironmentScope.empty("app", parent: nil)
        #expect(app[row[300]] == 300)
        #expect(builds.value == 300)
        for request in 2...4 {
            let scope = EnvironmentScope("request", parent: app) { $0[row[0]] = request * 1_000 }
            #expect(scope[row[300]] == request * 1_000 + 300)
            #expect(builds.value == 300 * request)
            #expect(scope[row[150]] == request * 1_000 + 150)
            #expect(app[row[300]] == 300)
        }
        #expect(builds.value == 300 * 4)
    }

    @Test("A value that needs several of the row has them built once each, in whatever order it reads them")
    func diamonds() {
        let first = ScopeValue(1)
        let builds = Box(0)
        var row = [first, first]
        for number in 0..<40 {
            let (a, b) = (row[row.count - 1], row[row.count - 2])
            row.append(
                ScopeValue { scope in
                    builds.update { $0 += 1 }
                    return number.isMultiple(of: 2) ? scope[a] &+ scope[b] : scope[b] &+ scope[a]
                }
            )
        }
        let app = EnvironmentScope.empty("app", parent: nil)
        let fibonacci = app[row[41]]
        let request = EnvironmentScope("request", parent: app) { $0[first] = 10 }
        #expect(request[row[41]] == 10 * fibonacci)
        #expect(builds.value == 80)
    }

    @Test("What a builder makes right again is read, not built")
    func rightAgain() {
        let builds = Builds()
        let app = EnvironmentScope("app", parent: nil) { $0.builds = builds }
        let request = EnvironmentScope("request", parent: app) { $0.guest = "ada" }
        #expect(app.signedOut == "Hello nobody")
        // So that its changes concern other scopes, and what the application keeps has to be checked again.
        let child = EnvironmentScope.empty(parent: request)
        builds.beforeGreeting.value = once { request.removeValue(for: \.guest) }
        #expect(request.signedOut == "Hello nobody")
        #expect(builds("greeting") == 1)
        #expect(child.greeting == "Hello nobody")
    }

    @Test("What a request rejects is still right for a scope between it and the application")
    func throughOtherScope() {
        // A scope that sets nothing of the greeting, but something that only a look can tell from its guest.
        let alike = Self.value(alike: ScopeValues.guest)
        // A test that runs beside this one may change something meanwhile, and then nothing is rejected any more.
        for _ in 0..<50 { expectRightThroughOtherScope(setting: alike) }
    }

    private func expectRightThroughOtherScope(setting alike: ScopeValue<Int>) {
        let builds = Builds()
        let app = EnvironmentScope("app", parent: nil) { $0.builds = builds }
        let middle = EnvironmentScope("middle", parent: app) { $0[alike] = 1 }
        app.middle = middle
        defer { app.removeValue(for: \.middle) }
        #expect(app.page == "Hello nobody")
        #expect(app.ofMiddle == "Hello nobody 0")
        builds.areLong.value = true
        // From here on, what the application keeps has to be checked again.
        app.unrelated = "changed"
        let request = EnvironmentScope("request", parent: middle) { $0.guest = "ada" }
        #expect(request.page == "Hello ada, Hello nobody 0")
        #expect(builds("page") == 2)
        #expect(builds("greeting") == 2)
        #expect(builds("ofMiddle") == 1)
    }

    /// A value with the same bit in the masks; a bit is given to a value once a scope that has a parent sets it.
    private static func value(alike other: ScopeValue<String>) -> ScopeValue<Int> {
        let parent = EnvironmentScope.empty(parent: nil)
        let scope = EnvironmentScope("scope", parent: parent) { $0[other] = "" }
        while true {
            let value = ScopeValue(0)
            scope[value] = 1
            if value.key.key.bit == other.key.key.bit { return value }
        }
    }
}
