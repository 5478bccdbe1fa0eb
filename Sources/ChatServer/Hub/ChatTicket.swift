internal import ChatCore

/// The question that the outcome of an operation answers.
package struct ChatTicket: Hashable, Sendable {
    /// The socket that is told of a refusal; nil if nobody is.
    let socket: ChatHub.SocketID?
    let person: Int
    let peer: Int
    let request: ChatRequest?
    /// The memory in bytes that the operation takes while it waits.
    var bytes = 0

    init(_ socket: ChatHub.SocketID?, person: Int, peer: Int, _ request: ChatRequest? = nil) {
        (self.socket, self.person, self.peer, self.request) = (socket, person, peer, request)
    }
}
