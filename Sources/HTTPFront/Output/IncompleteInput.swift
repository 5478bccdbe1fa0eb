internal import NIOCore

/// The record of the bytes stored for a message or a body that a client has not sent completely.
///
/// The client is disconnected if it does not complete the input in time. When the input of all clients exceeds its
/// budget, the oldest input at the address or network with the most bytes is dropped first, because legitimate input is
/// completed soon.
package final class IncompleteInput {
    package var queueSeat = ClientQueueSeat()
    package private(set) var client: ClientAddress?
    private let front: FrontServer
    /// Whether the client is about to be disconnected; its further input is not counted.
    private var isDropped = false
    private let disconnect: () -> Void

    /// Creates an empty record; `disconnect` is called, in a later iteration of the event loop, if the client is too
    /// slow.
    package init(_ front: FrontServer, disconnect: @escaping () -> Void) {
        (self.front, self.disconnect) = (front, disconnect)
    }

    /// Records how many bytes are stored for a client now; 0 if the message or body is complete.
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
