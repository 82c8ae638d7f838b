import Foundation
import GRPCCore

/// A method of a service, whose messages are sent as JSON.
package struct Method<Input: Codable & Sendable, Output: Codable & Sendable>: Sendable {
    /// Its name on the wire.
    package let descriptor: MethodDescriptor

    init(_ service: String, _ name: String) {
        descriptor = MethodDescriptor(fullyQualifiedService: service, method: name)
    }
}

/// Messages as JSON.
package struct JSONMessage<Message: Codable & Sendable>: MessageSerializer, MessageDeserializer {
    package func serialize<Bytes: GRPCContiguousBytes>(_ message: Message) throws -> Bytes {
        Bytes(try JSONEncoder().encode(message))
    }

    package func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Message {
        try bytes.withUnsafeBytes { try JSONDecoder().decode(Message.self, from: Data($0)) }
    }
}

extension RPCRouter {
    /// Lets a closure answer a method: it reads the messages that come, and gives what writes the answer.
    mutating func add<Input, Output>(
        _ method: Method<Input, Output>,
        _ handle:
            @escaping @Sendable (RPCAsyncSequence<Input, any Error>) async throws -> StreamingServerResponse<Output>
    ) {
        registerHandler(
            forMethod: method.descriptor,
            deserializer: JSONMessage<Input>(),
            serializer: JSONMessage<Output>()
        ) { request, _ in try await handle(request.messages) }
    }
}

extension GRPCClient {
    /// Calls a method with one message, whose answer is one.
    package func call<Input, Output>(
        _ method: Method<Input, Output>,
        _ message: Input,
        _ metadata: Metadata = [:]
    ) async throws -> Output {
        try await call(method, metadata) {
            try await $0.write(message)
        } answer: { messages in
            for try await message in messages { return message }
            throw RPCError(code: .internalError, message: "no answer")
        }
    }

    /// Calls a method; the messages of both sides are streams.
    package func call<Input, Output, Result: Sendable>(
        _ method: Method<Input, Output>,
        _ metadata: Metadata = [:],
        send: @escaping @Sendable (RPCWriter<Input>) async throws -> Void,
        answer: @escaping @Sendable (RPCAsyncSequence<Output, any Error>) async throws -> Result
    ) async throws -> Result {
        try await bidirectionalStreaming(
            request: StreamingClientRequest(metadata: metadata, producer: send),
            descriptor: method.descriptor,
            serializer: JSONMessage<Input>(),
            deserializer: JSONMessage<Output>(),
            options: .defaults
        ) { try await answer($0.messages) }
    }
}
