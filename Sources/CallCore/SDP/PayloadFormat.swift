/// A payload type and what it stands for: `a=rtpmap`, `a=fmtp` and `a=rtcp-fb` together.
package struct PayloadFormat: Hashable, Sendable {
    /// 0…127.
    package var payloadType: Int
    /// As written, to be compared without regard to case; empty where the description does not tell.
    package var name: String
    /// In hertz.
    package var clockRate: Int
    /// 1 where the description does not tell.
    package var channels: Int
    /// `a=fmtp`, keys in lower case; a token without a value has an empty one.
    package var parameters: [String: String] = [:]
    /// Such as `nack pli`.
    package var feedback: [String] = []

    package init(payloadType: Int, name: String, clockRate: Int, channels: Int = 1) {
        self.payloadType = payloadType
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
    }

    package func isNamed(_ other: String) -> Bool {
        name.lowercased() == other.lowercased()
    }

    /// The static payload types that WebRTC peers still use without an `a=rtpmap` (RFC 3551).
    static func assigned(_ payloadType: Int) -> PayloadFormat {
        switch payloadType {
        case 0: PayloadFormat(payloadType: 0, name: "PCMU", clockRate: 8000)
        case 8: PayloadFormat(payloadType: 8, name: "PCMA", clockRate: 8000)
        case 9: PayloadFormat(payloadType: 9, name: "G722", clockRate: 8000)
        default: PayloadFormat(payloadType: payloadType, name: "", clockRate: 0)
        }
    }
}
