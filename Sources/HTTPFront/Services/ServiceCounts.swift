/// The counts of one service since its start, and the current numbers.
package struct ServiceCounts: Hashable, Sendable {
    package let service: String
    /// The current number of requests that are being answered.
    package internal(set) var running = 0
    package internal(set) var requests = Tally<RequestResult>()
    /// The number of refused requests and WebSockets.
    package internal(set) var refused = Tally<ConnectionRefusal>()
    /// The current number of WebSockets.
    package internal(set) var sockets = 0
    package internal(set) var socketsOpened = 0
    /// The number of messages that WebSockets have received.
    package internal(set) var messages = 0
    /// The number of bytes received in request bodies and over WebSockets.
    package internal(set) var receivedBytes = 0
    /// The number of bytes sent in response bodies.
    package internal(set) var sentBytes = 0
    /// The number of entries that clients have stored; nil if the service does not count them.
    package internal(set) var stored: Int?
    package internal(set) var isDraining = false

    init(_ service: String) { self.service = service }
}

/// The result of a request.
package enum RequestResult: Int, TallyKind {
    case success, redirection, clientError, serverError, upgraded
    /// The connection ended before the answer was complete.
    case aborted

    init(status code: UInt) {
        self =
            switch code {
            case ..<300: .success
            case ..<400: .redirection
            case ..<500: .clientError
            default: .serverError
            }
    }

    package static let labelName = "result"

    package var label: String {
        switch self {
        case .success: "2xx"
        case .redirection: "3xx"
        case .clientError: "4xx"
        case .serverError: "5xx"
        case .upgraded: "upgraded"
        case .aborted: "aborted"
        }
    }
}
