internal import NIOCore

/// The bytes that are kept of a message or a body which a client has not sent completely.
///
/// Its client is disconnected if the message is not complete in time. When the input of all clients exceeds its
/// budget, the messages that take the longest are dropped first, at the address with the most bytes: honest messages
/// are complete soon.
package final class IncompleteInput {
    package var queueSeat = ClientQueueSeat()
    package private(set) var client: ClientAddress?
    private let front: FrontServer
    /// Whether the client is about to be disconnected; what it still sends is not counted again.
    private var isDropped = false
    private let disconnect: () -> Void

    /// Creates a record of no bytes; `disconnect` is called, in a later iteration of the event loop, if the
    /// client is too slow.
    package init(_ front: FrontServer, disconnect: @escaping () -> Void) {
        (self.front, self.disconnect) = (front, disconnect)
    }

    /// Records how many bytes of a client are kept now; 0 if the message is complete.
    package func note(bytes: Int, from client: ClientAddress?) {
        guard !isDropped else { return }
        self.client = client
        front.inputs.note(self, bytes: bytes)
    }

    /// Removes the record, because the message is complete or its connection has ended.
    package func finish() { front.inputs.remove(self) }
}

extension IncompleteInput: ClientQueue {
    package func lookAtQueue() {}

    package func dropQueue(_ reason: SlowClient) {
        isDropped = true
        front.slowSenderClosed(reason)
        front.eventLoop.assumeIsolated().execute { self.disconnect() }
    }
}
