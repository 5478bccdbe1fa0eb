/// The reason why a chat operation has failed.
package enum ChatError: Error, Hashable, Sendable {
    /// The server was not reached, or the connection broke.
    case network(String)
    /// The server answered with this HTTP status instead of success.
    case status(Int)
    /// The server sent data in which this field is missing or invalid.
    case decodingFailed(String)
    /// There is no connection, so nothing was sent.
    case notConnected
    /// The server refused a request with a code and a message.
    case refused(code: String, message: String)
    /// The text exceeds the limits of `ChatLimits`.
    case tooLong
    /// The operation is not possible with an original server, which supports only text messages.
    case notSupported
    /// The outbox is full.
    case outboxFull

    /// The message for the user, without a full stop.
    package var message: String {
        switch self {
        case .network(let reason): "the connection to the chat server failed: \(reason)"
        case .status(401): "the chat server requires an account: sign in"
        case .status(let status): "the chat server answers with status \(status)"
        case .decodingFailed(let field): "the chat server sent something without a valid “\(field)”"
        case .notConnected: "not sent, because there is no connection to the chat server"
        case .refused(_, let message): message
        case .tooLong:
            "the message is too long: at most \(ChatLimits.longestText) characters and \(ChatLimits.longestTextBytes) bytes"
        case .notSupported: "this chat server supports only text messages"
        case .outboxFull: "too many messages are waiting to be sent"
        }
    }
}
