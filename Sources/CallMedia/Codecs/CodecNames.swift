internal import Basics
internal import CallCore

/// The codec names in a peer's session description, for error messages.
enum CodecNames {
    /// Formats that accompany a codec: retransmission, redundancy, comfort noise, telephone events.
    private static let companions: Set<String> = [
        "RTX", "RED", "ULPFEC", "FLEXFEC-03", "CN", "TELEPHONE-EVENT",
    ]
    private static let maximum = 16
    private static let longest = 20

    /// Returns each codec name once, in the peer's order; the list is bounded and printable.
    static func offered(in sections: [MediaSection]) -> [String] {
        var names: [String] = []
        for format in sections.flatMap(\.codecs) where !companions.contains(format.name.uppercased()) {
            let name = format.name.isEmpty ? "payload type \(format.payloadType)" : format.name
            let shown = name.printable(limit: longest)
            if !names.contains(shown), names.count < maximum { names.append(shown) }
        }
        return names
    }
}
