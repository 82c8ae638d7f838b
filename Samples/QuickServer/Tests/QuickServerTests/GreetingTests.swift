import Hummingbird
import HummingbirdTesting
import ScopedInjection
import ScopedInjectionTesting
import Testing

@testable import QuickServer

/// Each test has an application scope of its own, so they all run at once.
@Suite struct GreetingTests {
    @Test(.scope { $0.greeting = "Good morning" })
    func aTestSetsWhatItNeeds() async throws {
        try await makeApplication(in: .current).test(.router) { client in
            let answer = try await client.execute(uri: "/greeting?user=Ada", method: .get)
            #expect(String(buffer: answer.body) == "Good morning, Ada! This is greeting 1.\n")
        }
    }

    @Test(.scope())
    func requestsAtOnceShareTheGreeterAndNotTheUser() async throws {
        try await makeApplication(in: .current).test(.router) { client in
            let answers = try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        let answer = try await client.execute(uri: "/greeting?user=user\(number)", method: .get)
                        let text = String(buffer: answer.body)
                        #expect(text.hasPrefix("Hello, user\(number)! "))
                        return text
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let greetings = Set(answers.compactMap { $0.split(separator: "! ").last })
            #expect(greetings == Set((1...50).map { "This is greeting \($0).\n" }))
        }
    }

    @Test(.scope { $0.provide(\.greeter) { _ in throw HTTPError(.conflict) } })
    func whatABuilderThrowsIsAnsweredByItsType() async throws {
        try await makeApplication(in: .current).test(.router) { client in
            let answer = try await client.execute(uri: "/greeting", method: .get)
            #expect(answer.status == .conflict)
        }
    }

    @Test(.scope())
    func aRequestWithoutAUserIsAStranger() async throws {
        try await makeApplication(in: .current).test(.router) { client in
            let answer = try await client.execute(uri: "/greeting", method: .get)
            #expect(String(buffer: answer.body) == "Hello, stranger! This is greeting 1.\n")
        }
    }
}
