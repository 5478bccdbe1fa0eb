internal import MediaKit

/// The attributes of a peer's session description that are passed to webrtcbin.
///
/// GStreamer stores each new attribute or parameter name and never frees it, and searches all names for each payload
/// type.
enum ReadableAttribute {
    private static let names: Set<Substring> = [
        "bundle-only", "end-of-candidates", "extmap", "extmap-allow-mixed", "fingerprint", "fmtp", "group",
        "ice-lite", "ice-options", "ice-pacing", "ice-pwd", "ice-ufrag", "inactive", "max-message-size",
        "maxptime", "mid", "msid", "msid-semantic", "ptime", "recvonly", "rtcp", "rtcp-fb", "rtcp-mux",
        "rtcp-rsize", "rtpmap", "sctp-port", "sctpmap", "sendonly", "sendrecv", "setup", "ssrc", "ssrc-group",
    ]
    /// The parameters of formats (RFC 6184, 7587, 7741, 9628, 4588), in lowercase.
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
    /// The header extensions that we offer; GStreamer would process others itself.
    private static let extensionURIs: Set<Substring> = [
        Substring(SectionFeatures.transportFeedbackURI), Substring(SectionFeatures.playoutDelayURI),
    ]
    /// The accepted clock rates of formats for retransmission and redundancy.
    private static let clockRates: Set<Substring> = ["8000", "48000", "90000"]
    private static let payloadTypes = 0...127

    /// Returns an attribute line without its unknown parts; nil if nothing remains.
    ///
    /// - Parameters:
    ///   - line: an attribute line of the peer's description.
    ///   - correctsErrors: whether redundant packets (RFC 2198, RFC 5109) may be received.
    /// - Returns: the filtered line.
    static func line(_ line: Substring, correctsErrors: Bool = false) -> Substring? {
        let name = line.dropFirst(2).prefix { $0 != ":" }
        guard names.contains(name) else { return nil }
        let value = line.dropFirst(2 + name.count + 1)
        switch name {
        case "inactive", "recvonly", "sendonly", "sendrecv": return "a=\(name)"
        case "fmtp": return format(value).map { "a=fmtp:\($0)" }
        case "rtcp-fb":
            guard let (_, kind) = split(value), feedback.contains(kind) else { return nil }
        case "extmap":
            guard let number = Int(value.prefix { $0 != " " && $0 != "/" }), extensions.contains(number)
            else {
                return nil
            }
            let rest = value.drop { $0 != " " && $0 != "/" }
            guard let uri = rest.split(separator: " ").dropFirst(rest.first == "/" ? 1 : 0).first,
                extensionURIs.contains(uri)
            else {
                return nil
            }
            return "a=extmap:\(number)\(rest)"
        case "rtpmap":
            guard let (type, encoding) = split(value) else { return nil }
            // Without a name, webrtcbin would refuse the description.
            return isKnown(encoding, correctsErrors) ? line : "a=rtpmap:\(type) unknown/90000"
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

    /// Returns whether a format, such as `H264/90000`, may be passed to GStreamer.
    ///
    /// GStreamer does not check clock rates, and for each redundant packet it searches all missing sequence numbers.
    private static func isKnown(_ encoding: Substring, _ correctsErrors: Bool) -> Bool {
        let parts = encoding.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return false }
        if let codec = Codec(encodingName: String(parts[0])) { return parts[1] == "\(codec.clockRate)" }
        switch parts[0].lowercased() {
        case "rtx": return clockRates.contains(parts[1])
        case "red", "ulpfec": return correctsErrors && clockRates.contains(parts[1])
        default: return false
        }
    }

    /// Returns an `m=` line without duplicate formats and formats that are not payload types.
    ///
    /// If no format would remain, the first one is retained.
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
            // GStreamer stores each spelling as a separate name.
            let name = text[..<end].split(separator: " ").joined(separator: " ").lowercased()
            guard parameters.contains(name) else { return nil }
            guard name == "apt" else { return "\(name)\(text[end...])" }
            // GStreamer stores the value of `apt` as a name, too.
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
