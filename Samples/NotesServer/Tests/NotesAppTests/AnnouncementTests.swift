import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Instrumentation
import Logging
import NotesApp
import ScopedInjection
import Synchronization
import Testing

/// What crosses to the second service.
@Suite struct AnnouncementTests {
    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func theSecondServiceIsToldUnderTheIDAndTheTraceOfTheRequest() async throws {
        let received = Mutex<[(headers: HTTPFields, announcement: Announcement)]>([])
        try await withSecondService { request, context in
            let announcement = try await request.decode(as: Announcement.self, context: context)
            received.withLock { $0.append((request.headers, announcement)) }
            return .noContent
        } test: { url in
            try await withServer(.ahc(), configure: { configureClient(of: $0, url: url) }) { client in
                let headers: HTTPFields = [.traceParent: Self.trace]
                _ = try await client.create("milk", as: .alice, requestID: "call-1", headers: headers)
            }
        }
        let all = received.withLock { $0 }
        let (headers, announcement) = try #require(all.first)
        #expect(all.count == 1)
        #expect(headers[.requestID] == "call-1")
        #expect(headers[.traceParent] == Self.trace)
        #expect(announcement.note == 1)
        #expect(announcement.user == "alice")
        #expect(announcement.tenant == "north")
    }

    @Test func aSecondServiceThatFailsDoesNotFailTheRequest() async throws {
        try await withSecondService { _, _ in
            .internalServerError
        } test: { url in
            try await withServer(.ahc(), configure: { configureClient(of: $0, url: url) }) { client async throws in
                #expect(try await client.create("milk", as: .alice).status == 201)
                #expect(try await client.list(as: .alice).map(\.text) == ["milk"])
            }
        }
    }

    @Test(arguments: [trace, nil, "", "nonsense"])
    func aTraceIsInTheScopeAndInTheTaskLocal(header: String?) async throws {
        let seen = Mutex<[String?]>([])
        let handler: ProbeHandler = { _, _ in
            seen.withLock {
                $0 = [EnvironmentScope.current.serviceContext.traceParent, ServiceContext.current?.traceParent]
            }
            return "seen"
        }
        try await withServer(.ahc(), probe: handler) { client async throws in
            var headers = HTTPFields()
            headers[.traceParent] = header
            #expect(try await client.send(.post, "/probe", headers: headers).status == 200)
        }
        let expected = header == Self.trace ? Self.trace : nil
        #expect(seen.withLock { $0 } == [expected, expected])
    }

    private func configureClient(of scope: EnvironmentScope, url: String) {
        scope.announcementURL = url
        scope.provide(\.httpClient) { reader in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            reader.onClose { try await client.shutdown() }
            return client
        }
    }

    private func withSecondService(
        _ handle: @escaping @Sendable (Request, BasicRequestContext) async throws -> HTTPResponse.Status,
        test: @Sendable (String) async throws -> Void
    ) async throws {
        let router = Router()
        router.post("announcements", use: handle)
        let logger = Logger(label: "second") { _ in SwiftLogNoOpLogHandler() }
        try await Application(router: router, logger: logger).test(.ahc()) { client in
            let port = try #require(client.port)
            try await test("http://localhost:\(port)/announcements")
        }
    }
}

extension HTTPField.Name {
    // A constant that is a valid name.
    // swift-format-ignore: NeverForceUnwrap
    static let traceParent = Self("traceparent")!
}
