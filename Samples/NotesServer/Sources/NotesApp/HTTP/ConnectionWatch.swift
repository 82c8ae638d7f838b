import NIOCore
import Synchronization

/// Notices at once when the client closes a connection, and not only when it is written to.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    private struct State {
        var isClosed = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Sets what is done when the connection is closed, at once where it is already; nil for nothing.
    ///
    /// A connection has one request at a time, so there is one action.
    func onClose(_ action: (@Sendable () -> Void)?) {
        let isClosed = state.withLock { state in
            state.action = action
            return state.isClosed
        }
        if isClosed { action?() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { close() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    private func close() {
        let action = state.withLock { state in
            state.isClosed = true
            return state.action
        }
        action?()
    }
}
