internal import Basics
internal import FoundationEssentials

/// The name of a recording's file, such as `1-Bob-20260131T120000Z-2.mkv`: a title, a time, and a number if several
/// recordings began within one second.
struct RecordingName: Hashable {
    private static let endings = ["mkv", "mp4", "webm"]
    /// The number of bytes of a time such as `20260131T120000Z`.
    private static let timeLength = 16
    private static let dash = UInt8(ascii: "-")

    var title: String
    /// The part of the name from the time to the end, such as `20260131T120000Z-2.mkv`.
    let rest: String
    let began: Timestamp

    /// Parses a file name; nil unless it is the name of a recording.
    init?(_ name: String) {
        // Bytes are compared, because a combining mark would form one character with the dash before it.
        let bytes = Array(name.utf8)
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > Self.timeLength - 1,
            Self.endings.contains(String(decoding: bytes[(dot + 1)...], as: UTF8.self))
        else { return nil }
        for start in (0...(dot - Self.timeLength)).reversed() {
            guard start == 0 || bytes[start - 1] == Self.dash,
                let began = Self.time(bytes[start..<start + Self.timeLength]),
                Self.isNumber(bytes[(start + Self.timeLength)..<dot])
            else { continue }
            guard let title = String(validating: bytes[..<max(0, start - 1)], as: UTF8.self) else {
                return nil
            }
            self.title = title
            (rest, self.began) = (String(decoding: bytes[start...], as: UTF8.self), began)
            return
        }
        return nil
    }

    var text: String { title.isEmpty ? rest : "\(title)-\(rest)" }

    private static func time(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
        let digits = Array(bytes)
        guard digits[8] == UInt8(ascii: "T"), digits[15] == UInt8(ascii: "Z") else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        return Timestamp(
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
        )
    }

    /// Whether a text is empty, or a dash followed by a number.
    private static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.isEmpty
            || bytes.count > 1 && bytes.first == dash
                && bytes.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
