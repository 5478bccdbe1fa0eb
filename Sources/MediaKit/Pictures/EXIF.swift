/// The orientation in the EXIF segment of a JPEG (Exif 2.3); all other fields are ignored.
///
/// A directory may refer to the same data many times, and GStreamer 1.22 would read it each time.
struct EXIF: Hashable, Sendable {
    private static let name = Array("Exif\0\0".utf8)
    private static let mostEntries = 256
    private static let orientationTag = 0x0112

    /// The orientation, 1…8.
    let orientation: UInt8

    /// Reads the orientation from a segment with its marker and its length; nil if the segment contains none.
    init?(_ segment: ArraySlice<UInt8>) {
        let content = Array(segment.dropFirst(4))
        guard content.starts(with: Self.name) else { return nil }
        let body = Array(content.dropFirst(Self.name.count))
        guard body.count >= 8,
            let isLittle = ["II": true, "MM": false][String(decoding: body[..<2], as: UTF8.self)]
        else { return nil }
        func number(_ place: Int, _ count: Int) -> Int? {
            guard place >= 0, place + count <= body.count else { return nil }
            let digits = body[place..<place + count]
            return (isLittle ? digits.reversed() : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
        }
        guard number(2, 2) == 42, let start = number(4, 4), let count = number(start, 2) else { return nil }
        let places = (0..<min(count, Self.mostEntries)).map { start + 2 + 12 * $0 }
        guard let place = places.first(where: { number($0, 2) == Self.orientationTag }),
            number(place + 2, 2) == 3, let value = number(place + 8, 2), (1...8).contains(value)
        else { return nil }
        orientation = UInt8(value)
    }

    /// An EXIF segment that contains only the orientation.
    var segment: [UInt8] {
        let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
        let body = Self.name + Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1] + entry + [0, 0, 0, 0]
        return [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body
    }
}
