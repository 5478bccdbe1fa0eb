internal import CGStreamer

/// The format of the samples of one stream, and the size of raw samples.
struct SampleFormat {
    let caps: Caps
    /// The exact size of a raw video sample, or the divisor of the size of a raw audio sample, in bytes; nil for
    /// encoded media.
    private let unit: Int?

    /// The caps fields that another process may set, and their types.
    ///
    /// GStreamer never frees the names of fields, and its caps parser does not limit its input.
    private static let fields = [
        "alignment": "string", "channel-mapping-family": "int", "channels": "int", "chroma-site": "string",
        "colorimetry": "string", "coupled-count": "int", "format": "string", "framerate": "fraction",
        "height": "int", "layout": "string", "level": "string", "pixel-aspect-ratio": "fraction",
        "profile": "string", "rate": "int", "stream-count": "int", "stream-format": "string", "width": "int",
    ]
    private static let longestValue = 32
    private static let largestNumber = Int(Int32.max)
    private static let sides = 1...8192
    /// The maximum size of an encoded frame in bytes, the same as for video from a peer.
    private static let largestEncoded = 16 << 20

    /// Returns the caps fields listed in `fields`, with their values, one per line.
    static func text(of caps: Caps) -> String {
        fields.keys.sorted().compactMap { name in
            caps.text(of: name).map { "\(name)=\($0)" }
        }.joined(separator: "\n")
    }

    /// Reads a format of this media type; nil if it is incomplete or out of range.
    init?(_ text: String, mediaType: String) {
        var values: [Substring: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let type = Self.fields[String(parts[0])],
                Self.isPlausible(parts[1], type),
                values.updateValue("(\(type))\(parts[1])", forKey: parts[0]) == nil
            else { return nil }
        }
        let fields = values.map { "\($0)=\($1)" }
        guard let caps = try? Caps(([mediaType] + fields).joined(separator: ",")) else { return nil }
        self.caps = caps
        switch mediaType {
        case "video/x-raw":
            var info = GstVideoInfo()
            guard caps.string("format") == "I420", Self.sides.contains(caps.int("width") ?? 0),
                Self.sides.contains(caps.int("height") ?? 0),
                gst_video_info_from_caps(&info, caps.pointer) != 0
            else { return nil }
            unit = Int(info.size)
        case "audio/x-raw":
            var info = GstAudioInfo()
            guard caps.string("format") == "S16LE", (1...2).contains(caps.int("channels") ?? 0),
                gst_audio_info_from_caps(&info, caps.pointer) != 0, info.bpf > 0
            else { return nil }
            unit = Int(info.bpf)
        case "video/x-h264":
            // rtph264pay loops endlessly if NAL units are length-prefixed and the caps have no `codec_data`.
            guard caps.string("stream-format") == "byte-stream", caps.string("alignment") == "au" else {
                return nil
            }
            unit = nil
        default: unit = nil
        }
    }

    private static func isPlausible(_ value: Substring, _ type: String) -> Bool {
        guard (1...longestValue).contains(value.utf8.count) else { return false }
        func isNumber(_ text: Substring) -> Bool {
            Int(text).map { (0...largestNumber).contains($0) } ?? false
        }
        switch type {
        case "int": return isNumber(value)
        case "fraction":
            let parts = value.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy(isNumber) && parts[1] != "0"
        default:
            return value.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        }
    }

    /// Returns whether a sample may have this size in bytes.
    func accepts(size: Int) -> Bool {
        guard let unit, size > 0 else { return (1...Self.largestEncoded).contains(size) }
        return caps.mediaType == "video/x-raw" ? size == unit : size.isMultiple(of: unit)
    }
}
