internal import AppFlow
internal import FoundationEssentials
internal import LiveCore

/// The folder in which the app saves recordings; other files in it are ignored.
struct RecordingsFolder: Hashable {
    /// The largest number of recordings that are listed.
    static let maximum = 500
    private static let endings = ["mkv", "mp4", "webm"]

    let path: String

    /// Lists the recordings, the newest first.
    ///
    /// A folder that cannot be read counts as empty.
    func list() -> [LiveItem] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let found = names.compactMap { name in Self.time(in: name).map { (time: $0, name: name) } }
        return found.sorted(by: >).prefix(Self.maximum).map { time, name in
            LiveItem(.recording, .file("\(path)/\(name)"), name: name, date: Self.text(time))
        }
    }

    /// Returns the `{time}` in the default name of a recording; nil for any other name.
    private static func time(in name: String) -> String? {
        let parts = name.split(separator: ".")
        guard parts.count > 1, let ending = parts.last, endings.contains(String(ending)) else { return nil }
        // Of several recordings in one second, all but the first end in a number.
        return parts[parts.count - 2].split(separator: "-").suffix(2).map(String.init).last { part in
            let bytes = Array(part.utf8)
            return bytes.count == 16 && bytes[8] == UInt8(ascii: "T") && bytes[15] == UInt8(ascii: "Z")
                && (bytes[..<8] + bytes[9..<15]).allSatisfy {
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                }
        }
    }

    /// Formats `20260131T120000Z` as `2026-01-31 12:00 UTC`.
    private static func text(_ time: String) -> String {
        let digits = Array(time)
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8)) \(part(9..<11)):\(part(11..<13)) UTC"
    }
}
