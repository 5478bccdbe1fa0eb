/// The attributes of a peer's session description that webrtcbin may read.
///
/// GStreamer keeps each new name of an attribute or parameter for ever, and searches all names for each payload type.
enum ReadableAttribute {
    private static let names: Set<Substring> = [
        "bundle-only", "end-of-candidates", "extmap", "extmap-allow-mixed", "fingerprint", "fmtp", "group",
        "ice-lite", "ice-options", "ice-pacing", "ice-pwd", "ice-ufrag", "inactive", "max-message-size",
        "maxptime", "mid", "msid", "msid-semantic", "ptime", "recvonly", "rtcp", "rtcp-fb", "rtcp-mux",
        "rtcp-rsize", "rtpmap", "sctp-port", "sctpmap", "sendonly", "sendrecv", "setup", "ssrc", "ssrc-group",
    ]
    /// The parameters of formats (RFC 6184, 7587, 7741, 9628, 4588), in small letters.
    private static let parameters: Set<String> = [
        "apt", "cbr", "level-asymmetry-allowed", "max-br", "max-cpb", "max-dpb", "max-fr", "max-fs",
        "max-mbps",
        "max-smbps", "maxaveragebitrate", "maxplaybackrate", "maxptime", "minptime", "packetization-mode",
        "profile-id", "profile-level-id", "ptime", "rtx-time", "sprop-parameter-sets",
        "sprop-stereo", "stereo", "usedtx", "useinbandfec",
    ]
    private static let feedback: Set<Substring> = [
        "nack", "nack pli", "ccm fir", "ccm tmmbr", "goog-remb", "transport-cc",
    ]
    private static let extensions = 1...255
    private static let payloadTypes = 0...127

    /// Returns the line of an attribute with its known parts only; nil if it has none.
    static func line(_ line: Substring) -> Substring? {
        let name = line.dropFirst(2).prefix { $0 != ":" }
        guard names.contains(name) else { return nil }
        let value = line.dropFirst(2 + name.count + 1)
        switch name {
        case "fmtp": return format(value).map { "a=fmtp:\($0)" }
        case "rtcp-fb":
            guard let (_, kind) = split(value), feedback.contains(kind) else { return nil }
        case "extmap":
            guard let number = Int(value.prefix { $0 != " " && $0 != "/" }), extensions.contains(number)
            else {
                return nil
            }
            return "a=extmap:\(number)\(value.drop { $0 != " " && $0 != "/" })"
        case "ssrc":
            guard let (_, attribute) = split(value),
                ["cname", "msid"].contains(attribute.prefix { $0 != ":" })
            else {
                return nil
            }
        default: break
        }
        return line
    }

    /// Returns the line of a section with those of its formats that are payload types, each once.
    ///
    /// If none is, the first one stays.
    static func section(_ line: Substring) -> Substring {
        let fields = line.split(separator: " ")
        guard fields.count > 4 else { return line }
        var seen: Set<Int> = []
        let formats = fields.dropFirst(3).filter { format in
            Int(format).map { payloadTypes.contains($0) && seen.insert($0).inserted } ?? false
        }
        return Substring(
            (fields.prefix(3) + (formats.isEmpty ? [fields[3]] : formats)).joined(separator: " ")
        )
    }

    /// Returns the known parameters of a format; nil if there are none.
    private static func format(_ value: Substring) -> Substring? {
        guard let (format, texts) = split(value) else { return nil }
        let known = texts.split(separator: ";").compactMap { text -> String? in
            guard let end = text.firstIndex(of: "=") else { return nil }
            // GStreamer keeps each spelling as a name of its own.
            let name = text[..<end].split(separator: " ").joined(separator: " ").lowercased()
            guard parameters.contains(name) else { return nil }
            guard name == "apt" else { return "\(name)\(text[end...])" }
            // The payload type of a retransmission becomes a name, too.
            let type = Int(text[text.index(after: end)...].filter { $0 != " " })
            return type.flatMap { payloadTypes.contains($0) ? "apt=\($0)" : nil }
        }
        return known.isEmpty ? nil : "\(format) \(known.joined(separator: ";"))"
    }

    private static func split(_ value: Substring) -> (first: Substring, rest: Substring)? {
        guard let space = value.firstIndex(of: " ") else { return nil }
        return (value[..<space], value[value.index(after: space)...])
    }
}
