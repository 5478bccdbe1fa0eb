import Basics
import Testing

@Suite("The headers of pictures")
struct PictureHeaderTests {
    static func png(width: UInt32, height: UInt32) -> [UInt8] {
        func big(_ number: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + big(width)
            + big(height) + [8, 2, 0, 0, 0, 0, 0, 0, 0]
    }

    private static let jpeg: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xDB, 0, 3, 9, 0xFF, 0xC2, 0, 11, 8, 0x01, 0x02, 0x03,
        0x04,
        1, 1, 0x11, 0,
    ]

    private static func webp(_ kind: String, _ rest: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8) + Array(kind.utf8) + [10, 0, 0, 0] + rest
    }

    private func size(_ bytes: [UInt8]) -> [Int]? { PictureHeader(bytes).map { [$0.width, $0.height] } }

    @Test("The size of a PNG, a JPEG and each kind of WebP is read")
    func sizes() {
        #expect(size(Self.png(width: 640, height: 30_000)) == [640, 30_000])
        #expect(PictureHeader(Self.png(width: 1, height: 1))?.kind == .png)
        #expect(size(Self.jpeg) == [0x0304, 0x0102])
        #expect(PictureHeader(Self.jpeg)?.kind.rawValue == "image/jpeg")
        let lossy = Self.webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x42, 0xE0, 0x81])
        #expect(size(lossy) == [640, 480])
        // 14 bits each: 639 and 479.
        let bits = UInt32(639) | UInt32(479) << 14
        let lossless = Self.webp(
            "VP8L",
            [0x2F] + (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) } + [0, 0, 0, 0, 0]
        )
        #expect(size(lossless) == [640, 480])
        let extended = Self.webp("VP8X", [0, 0, 0, 0, 0x7F, 0x02, 0, 0xDF, 0x01, 0])
        #expect(size(extended) == [640, 480])
        #expect(PictureHeader(extended)?.kind.rawValue == "image/webp")
    }

    @Test("Unsupported formats, empty pictures and truncated headers are refused")
    func refusals() {
        #expect(size(Array("GIF89a".utf8) + [UInt8](repeating: 1, count: 40)) == nil)
        #expect(size(Array("<svg xmlns='http://www.w3.org/2000/svg'></svg>".utf8)) == nil)
        #expect(size(Self.png(width: 0, height: 5)) == nil)
        #expect(size(Self.webp("VP8 ", [UInt8](repeating: 0, count: 10))) == nil)
        // A picture whose frame header never comes.
        #expect(size([0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 1, 2, 0, 0, 0, 0]) == nil)
        #expect(size([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 1, 2, 0, 0, 0, 0]) == nil)
        for whole in [Self.png(width: 640, height: 480), Self.jpeg] {
            for length in 0..<(whole.count - 8) { #expect(size(Array(whole.prefix(length))) == nil) }
        }
    }

    @Test("A JPEG is refused if a decoder could find another frame header")
    func anotherFrameHeader() {
        // Decoders skip FF 00, and read the first frame header; as a segment, it would hide that one.
        let hidden: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0xFF, 0x00, 0xFF, 0x00, 1, 1, 0x11, 0]
        for code: UInt8 in [0x00, 0x02, 0xBF] {
            let segment: [UInt8] = [0xFF, code, 0, UInt8(hidden.count + 2)]
            #expect(size([0xFF, 0xD8] + segment + hidden + Self.jpeg.dropFirst(2)) == nil)
        }
    }

    @Test("Random data and damaged pictures never trap")
    func random() {
        var random = SeededGenerator(seed: 4711)
        let starts: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], Array(Self.png(width: 1, height: 1).prefix(12)), Self.webp("VP8X", []),
        ]
        for _ in 0..<20_000 {
            let start = starts.randomElement(using: &random) ?? []
            let count = Int.random(in: 0..<64, using: &random)
            _ = PictureHeader(start + (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
        }
        let pictures = [
            Self.jpeg, Self.png(width: 640, height: 480), Self.webp("VP8 ", [UInt8](repeating: 0, count: 10)),
            Self.webp("VP8L", [UInt8](repeating: 0x2F, count: 10)),
            Self.webp("VP8X", [UInt8](repeating: 0, count: 10)),
        ]
        for _ in 0..<10_000 {
            var picture = pictures.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<picture.count, using: &random)
                picture[place] = UInt8.random(in: 0 ... .max, using: &random)
            }
            picture.removeLast(Int.random(in: 0...picture.count, using: &random))
            _ = PictureHeader(picture)
        }
    }
}
