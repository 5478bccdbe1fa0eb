/// A violation of RFC 6455 or of the maximum message length, which ends the connection with a close code.
package enum WebSocketViolation: Error {
    case protocolError, tooLarge, invalidText

    package var closeCode: UInt16 {
        switch self {
        case .protocolError: 1002
        case .tooLarge: 1009
        case .invalidText: 1007
        }
    }
}
