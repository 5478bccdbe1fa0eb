package import FrontParsers
package import NIOCore

/// The delegate of a service's WebSocket; all methods are called on the event loop.
package protocol ServiceSocketDelegate: AnyObject {
    /// Called when the WebSocket is open; messages can be sent from now on.
    func socketDidOpen(_ socket: ServiceSocket)

    func socket(_ socket: ServiceSocket, didReceive message: FramedMessage)

    /// Called once, at the end.
    func socketDidClose(_ socket: ServiceSocket)
}

/// A WebSocket's entry in the limits of its client's address.
struct SocketSeat {
    let client: ClientAddress?
    /// The allowance of the address; nil if the address is not limited.
    let allowance: AddressAllowance?
}

/// A WebSocket of a service, with the service's limits and pings.
///
/// Confined to the event loop.
package final class ServiceSocket {
    /// A ping with a payload, because some clients do not answer a ping without one.
    private static let ping = FramedMessage(opcode: .ping, "ping".utf8)

    let handler: WebSocketHandler
    package var wheelSeat = TimerWheelSeat()
    package var eventLoop: any EventLoop { service.eventLoop }
    private let service: RoutedService
    private let seat: SocketSeat
    private var allowance: SessionAllowance?
    private var delegate: (any ServiceSocketDelegate)?
    /// Whether a ping awaits an answer; any input counts as one.
    private var isPinged = false
    /// Whether the client has sent anything since the timer was set.
    private var isActive = false
    private var isClosed = false

    init(_ service: RoutedService, _ seat: SocketSeat) {
        self.service = service
        self.seat = seat
        allowance = seat.allowance?.session()
        handler = WebSocketHandler(
            service.front,
            with: seat.client,
            maximumMessage: service.limits.maximumMessage,
            maximumQueuedBytes: service.limits.maximumQueuedBytes
        )
    }

    /// Starts to use the WebSocket; called after its connection has been upgraded.
    func open(_ delegate: any ServiceSocketDelegate) {
        handler.setDelegate(self)
        self.delegate = delegate
        service.socketDidOpen(self)
        setTimer(service.limits.pingInterval)
        delegate.socketDidOpen(self)
        // The response to the upgrade waits for this if the delegate has sent nothing.
        handler.flushBatch()
    }

    /// Sends a message, unless the WebSocket is closed.
    package func send(_ message: FramedMessage) { handler.send(message) }

    /// Sends a text message, unless the WebSocket is closed.
    package func send(_ text: String) { send(FramedMessage(text: text)) }

    /// Sends a close frame with a code (RFC 6455 §7.4), and ends the WebSocket.
    package func close(_ code: UInt16 = 1000) {
        handler.close(code)
        end()
    }

    private func end() {
        guard !isClosed else { return }
        isClosed = true
        service.front.wheel.cancel(self)
        seat.allowance?.close()
        service.socketDidClose(self)
        delegate?.socketDidClose(self)
        delegate = nil
    }

    private func setTimer(_ interval: Duration) {
        service.front.wheel.set(self, to: service.eventLoop.now + TimeAmount(interval))
    }

    private func takeMessage() -> Bool {
        guard !isClosed else { return false }
        guard allowance?.takeMessage(at: service.eventLoop.now) ?? true else { return closeFlood(.messages) }
        return true
    }

    /// Closes the WebSocket because its client has sent more than allowed.
    private func closeFlood(_ what: RateLimited) -> Bool {
        service.front.countFlood(what)
        // Policy violation.
        close(1008)
        return false
    }
}

extension ServiceSocket: WebSocketDelegate {
    package func socketMayReceive(bytes count: Int) -> Bool {
        service.counts.receivedBytes += count
        (isPinged, isActive) = (false, true)
        guard allowance?.takeBytes(count, at: service.eventLoop.now) ?? true else {
            return closeFlood(.bytes)
        }
        return true
    }

    package func socket(didReceive message: FramedMessage) {
        guard takeMessage() else { return }
        service.counts.messages += 1
        delegate?.socket(self, didReceive: message)
    }

    package func socketMayReceiveFrame() -> Bool { takeMessage() }

    package func socketDidClose(_ reason: WebSocketEnd) { end() }
}

extension ServiceSocket: TimerWheelEntry {
    package func timeIsUp(_ now: NIODeadline) {
        guard !isPinged else { return close(1001) }
        guard !isActive else {
            isActive = false
            return setTimer(service.limits.pingInterval)
        }
        isPinged = true
        send(Self.ping)
        setTimer(service.limits.pingTimeout)
    }
}
