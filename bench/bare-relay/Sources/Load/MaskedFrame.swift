/// A masked WebSocket frame of a client, encoded once for any number of transmissions.
struct MaskedFrame {
    private static let key: [UInt8] = [0x5A, 0x17, 0xC3, 0x8E]

    let bytes: [UInt8]

    init(_ text: String) { self.init(opcode: 1, Array(text.utf8)) }

    /// A close frame with status code 1000 (normal closure, RFC 6455 §7.4.1).
    static let close = MaskedFrame(opcode: 8, [0x03, 0xE8])

    static let connect = MaskedFrame("40")
    static let disconnect = MaskedFrame("41")
    static let pong = MaskedFrame("3")

    /// A candidate event like those of browsers.
    static let candidate = MaskedFrame(
        #"42["candidate",{"candidate":"candidate:842163049 1 udp 1677729535 203.0.113.77 53412 typ srflx "#
            + #"raddr 192.168.1.5 rport 53412 generation 0 ufrag EsAw network-cost 999","#
            + #""sdpMid":"0","sdpMLineIndex":0}]"#
    )

    private init(opcode: UInt8, _ payload: [UInt8]) {
        precondition(payload.count < 65_536)
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)] : [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        let masked = payload.enumerated().map { $1 ^ Self.key[$0 & 3] }
        bytes = [0x80 | opcode] + length + Self.key + masked
    }
}
