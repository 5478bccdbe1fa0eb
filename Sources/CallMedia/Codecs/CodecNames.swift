internal import CallCore

/// The names by which a peer's description calls its codecs, for people.
enum CodecNames {
    /// What travels beside a codec and is none: repair, comfort noise, keys that are pressed.
    private static let companions: Set<String> = [
        "RTX", "RED", "ULPFEC", "FLEXFEC-03", "CN", "TELEPHONE-EVENT",
    ]
    private static let most = 16
    private static let longest = 20

    /// Each name once, in the order of the description, which is the peer's; bounded, and fit to be printed.
    static func told(by sections: [MediaSection]) -> [String] {
        var names: [String] = []
        for format in sections.flatMap(\.codecs) where !companions.contains(format.name.uppercased()) {
            let name = format.name.isEmpty ? "payload type \(format.payloadType)" : format.name
            let shown = name.printable(limit: longest)
            if !names.contains(shown), names.count < most { names.append(shown) }
        }
        return names
    }
}
