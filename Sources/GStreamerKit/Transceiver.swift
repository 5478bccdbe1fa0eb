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

    /// The codecs to offer or accept, best first.
    package func set(codecs: Caps) {
        gst_util_set_object_arg(element.pointer, "codec-preferences", codecs.description)
    }
}
