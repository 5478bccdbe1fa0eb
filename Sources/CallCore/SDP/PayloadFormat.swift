/// A payload type and its format: `a=rtpmap`, `a=fmtp` and `a=rtcp-fb` combined.
package struct PayloadFormat: Hashable, Sendable {
    /// The payload type, from 0 to 127.
    package var payloadType: Int
    /// The encoding name as written, to be compared case-insensitively; empty if unspecified.
    package var name: String
    /// The clock rate in hertz; 0 if unspecified.
    package var clockRate: Int
    /// The number of channels; 1 if unspecified.
    package var channels: Int
    /// The parameters of `a=fmtp` with lowercase keys; a parameter without a value has an empty string.
    package var parameters: [String: String] = [:]
    /// The RTCP feedback types, such as `nack pli`.
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

    /// Creates the format of a payload type without `a=rtpmap`.
    ///
    /// Static types that WebRTC peers still use (RFC 3551) get their names; others stay unnamed.
    static func assigned(_ payloadType: Int) -> PayloadFormat {
        switch payloadType {
        case 0: PayloadFormat(payloadType: 0, name: "PCMU", clockRate: 8000)
        case 8: PayloadFormat(payloadType: 8, name: "PCMA", clockRate: 8000)
        case 9: PayloadFormat(payloadType: 9, name: "G722", clockRate: 8000)
        default: PayloadFormat(payloadType: payloadType, name: "", clockRate: 0)
        }
    }
}
