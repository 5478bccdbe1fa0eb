internal import CGStreamer
internal import GLibKit

/// A webrtcbin transceiver, found through the sink pad of its m-line.
package final class Transceiver: Sendable {
    package enum Direction: String, Sendable { case sendrecv, sendonly, recvonly, inactive }

    private let element: ObjectRef

    package init?(of pad: Pad) {
        guard let object = Element(pad.object).objectProperty("transceiver") else { return nil }
        element = object
    }

    package func set(direction: Direction) {
        gst_util_set_object_arg(element.pointer, "direction", direction.rawValue)
    }

    /// Enables or disables requesting and sending retransmissions of lost packets (RFC 4585, RFC 4588).
    package func set(nack: Bool) {
        gst_util_set_object_arg(element.pointer, "do-nack", nack ? "true" : "false")
    }

    /// Enables forward error correction with this percentage of redundant bytes (RFC 5109), in RED (RFC
    /// 2198).
    package func set(redundancyPercent: Int) {
        gst_util_set_object_arg(element.pointer, "fec-type", "ulp-red")
        gst_util_set_object_arg(element.pointer, "fec-percentage", String(redundancyPercent))
    }

    /// Sets the codecs to offer or accept, best first.
    package func set(codecs: Caps) {
        gst_util_set_object_arg(element.pointer, "codec-preferences", codecs.description)
    }
}
