import GRPCCore
import ScopedInjection

/// The first service, with a method of each kind; it is made once, and reads the user of the call that it answers.
package struct NotesService: RegistrableRPCService {
    /// One message, one answer; it asks the second service.
    package static let add = Method<String, Receipt>("Notes", "Add")
    /// A stream of notes, one answer.
    package static let `import` = Method<String, String>("Notes", "Import")
    /// One message, a stream of as many answers.
    package static let watch = Method<Int, String>("Notes", "Watch")
    /// Two streams.
    package static let chat = Method<String, String>("Notes", "Chat")

    private let user = Injected(\.user)
    private let audit = Injected(\.audit)
    private let subscription = Injected(\.subscription)

    package init() {}

    package func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.add(Self.add) { messages in
            let text = try await messages.reduce("", +)
            let receipt = try await audit.value().record("\(name) added \(text)")
            return StreamingServerResponse(single: ServerResponse(message: receipt))
        }
        router.add(Self.import) { messages in
            let count = try await messages.reduce(0) { count, _ in count + 1 }
            return StreamingServerResponse(single: ServerResponse(message: "\(count) notes of \(name)"))
        }
        router.add(Self.watch) { messages in
            let count = try await messages.reduce(0, +)
            return StreamingServerResponse { writer in
                for number in 1...count {
                    try await writer.write("\(number) for \(try subscription.value().user), who is \(name)")
                    try await Task.sleep(for: .milliseconds(1))
                }
                return [:]
            }
        }
        router.add(Self.chat) { messages in
            StreamingServerResponse { writer in
                for try await text in messages { try await writer.write("\(name) said \(text)") }
                return [:]
            }
        }
    }

    private var name: String { user() ?? "nobody" }
}
