internal import ChatCore

/// The origin of an operation, which determines how its outcome is handled.
package struct ChatTicket: Hashable, Sendable {
    /// The socket to which a refusal is reported; nil if it is not reported.
    let socket: ChatHub.SocketID?
    let person: Int
    let peer: Int
    let request: ChatRequest?
    /// The approximate memory in bytes of the operation while it is pending.
    var bytes = 0

    init(_ socket: ChatHub.SocketID?, person: Int, peer: Int, _ request: ChatRequest? = nil) {
        (self.socket, self.person, self.peer, self.request) = (socket, person, peer, request)
    }
}
