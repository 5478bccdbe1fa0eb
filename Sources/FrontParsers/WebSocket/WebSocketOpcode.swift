/// The type of a WebSocket frame (RFC 6455 §5.2).
package enum WebSocketOpcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
}
