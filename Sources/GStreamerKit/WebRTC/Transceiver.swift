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

    /// Whether lost packets are asked for again, and sent again when asked for (RFC 4585, RFC 4588).
    package func set(nack: Bool) {
        gst_util_set_object_arg(element.pointer, "do-nack", nack ? "true" : "false")
    }

    /// Whether so many redundant bytes in a hundred are sent along (RFC 5109), in RED (RFC 2198).
    package func set(redundancyPercent: Int) {
        gst_util_set_object_arg(element.pointer, "fec-type", "ulp-red")
        gst_util_set_object_arg(element.pointer, "fec-percentage", String(redundancyPercent))
    }

    /// The codecs to offer or accept, best first.
    package func set(codecs: Caps) {
        gst_util_set_object_arg(element.pointer, "codec-preferences", codecs.description)
    }
}
