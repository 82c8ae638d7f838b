import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The second service: takes announcements, and checks that each belongs to the request that it says it does.
struct AnnouncementSink: Sendable {
    let ledger: Ledger
    let tally: Tally

    /// Serves on a port until the task is cancelled.
    func run(port: Int) async throws {
        let router = Router()
        router.post("announcements/:settings") { request, context in
            let announcement = try await request.decode(as: Announcement.self, context: context)
            check(announcement, headers: request.headers)
            let settings = context.parameters.get("settings").flatMap { Int($0) }
            tally.expect(settings != nil, "An announcement was sent by settings of which one is bad")
            ledger.record { _ = $0.settings.insert(settings ?? 0) }
            return HTTPResponse.Status.noContent
        }
        var logger = Logger(label: "announcements")
        logger.logLevel = .critical
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: logger
        )
        try await application.run()
    }

    private func check(_ announcement: Announcement, headers: HTTPFields) {
        tally.count("announcements")
        let requestID = headers[.requestID] ?? ""
        tally.expect(
            requestID.hasPrefix("\(announcement.tenant).\(announcement.user)."),
            "A note of \(announcement.user) in \(announcement.tenant) was announced by request '\(requestID)'"
        )
        let traceParent = HTTPField.Name("traceparent").flatMap { headers[$0] } ?? ""
        tally.expect(
            traceParent == LoadRequest.traceParent(ofRequestID: requestID),
            "Request '\(requestID)' announced a note in trace '\(traceParent)'"
        )
        ledger.record {
            _ = $0.announced.insert([announcement.tenant, "\(announcement.note)", announcement.user])
        }
    }
}
