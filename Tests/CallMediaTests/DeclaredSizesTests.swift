import Basics
import GStreamerKit
import Testing

@testable import MediaKit

/// The headers are those of ffmpeg 5.1 for frames of 1920 × 816.
@Suite("Resolutions declared in codec headers")
struct DeclaredSizesTests {
    struct Header: Sendable, CustomTestStringConvertible {
        let caps: String
        let hex: String
        /// Whether the header is in the format, and not in the stream.
        var isFormat = false
        /// The coded sizes; a header of MPEG-2 tells one without and one with its extension.
        var sizes = [Resolution(width: 1920, height: 816)]

        var testDescription: String { isFormat ? "\(caps), in the format" : caps }
        var bytes: [UInt8] {
            let digits = hex.compactMap(\.hexDigitValue)
            return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        }

        func format() throws -> Caps { try Caps(isFormat ? "\(caps),codec_data=(buffer)\(hex)" : caps) }
    }

    static let headers = [
        Header(
            caps: "video/x-h265,stream-format=byte-stream",
            hex: "0000000140010c01ffff01600000030090000003000003007895980900000001420101016000000300900000"
                + "030000030078a003c08033165959a4932bc05a020000030002000003003210000000014401c172b46240"
        ),
        Header(
            caps: "video/x-h265,stream-format=hvc1",
            hex: "01016000000090000000000078f000fcfdf8f800000f04200001001840010c01ffff0160000003009000000300"
                + "00030078959809210001002b420101016000000300900000030000030078a003c08033165959a4932bc05a0200"
                + "00030002000003003210220001000744"
                + "01c172b46240",
            isFormat: true
        ),
        Header(
            caps: "video/x-av1",
            hex: "12000a0b00000042a7bfe5e657c802"
        ),
        Header(caps: "video/x-av1", hex: "810000000a0b00000042a7bfe5e657c802", isFormat: true),
        Header(
            caps: "video/mpeg,mpegversion=2",
            hex: "000001b378033013ffffe018000001b5144a00010000000001b80008004000000100000ffff8",
            sizes: [Resolution(width: 1920, height: 816), Resolution(width: 1920, height: 816)]
        ),
        Header(
            caps: "video/mpeg,mpegversion=2",
            hex: "000001b300819413ffffe018000001b5144b20010000000001b80008004000000100000ffff8",
            sizes: [Resolution(width: 8, height: 404), Resolution(width: 8200, height: 4500)]
        ),
        Header(
            caps: "video/mpeg,mpegversion=4",
            hex: "000001b001000001b58913000001000000012000c48d8800cd3c04661443000001b24c617663",
            isFormat: true
        ),
        Header(caps: "video/x-xvid", hex: "000001000000012000c48d8800cd3c04661443000001b24c617663"),
        Header(
            caps: "video/x-theora",
            hex: "807468656f7261030201007800330007800003300000000000190000000100000100000100030d4000c0"
        ),
        Header(
            caps: "video/x-prores",
            hex: "00003f6569637066009400004c61766307800330800002020240000304040404040404040404"
        ),
    ]

    @Test("The resolution is read from the header of each codec", arguments: headers)
    func sizes(header: Header) throws {
        let declared = try #require(DeclaredSizes(header.format()))
        let found = header.isFormat ? declared.inHeader : header.bytes.withUnsafeBytes(declared.sizes)
        #expect(found == header.sizes)
    }

    @Test(
        "Every header in a frame is read, not only the last one",
        arguments: headers.filter { !$0.isFormat }
    )
    func several(header: Header) throws {
        guard !header.caps.contains("prores") else { return }  // a frame has one header
        let declared = try #require(DeclaredSizes(header.format()))
        let found = (header.bytes + header.bytes).withUnsafeBytes(declared.sizes)
        #expect(found == header.sizes + header.sizes)
    }

    @Test("A damaged header never traps", arguments: headers)
    func damaged(header: Header) throws {
        var random = SeededGenerator(seed: 7)
        let declared = try #require(DeclaredSizes(try Caps(header.caps)))
        for _ in 0..<2000 {
            var bytes = header.bytes
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            _ = bytes.withUnsafeBytes(declared.sizes)
            let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            guard !hex.isEmpty else { continue }
            _ = DeclaredSizes(try Caps("\(header.caps),codec_data=(buffer)\(hex)"))
        }
    }

    @Test(
        "Codecs whose resolution only a decoder can determine are unsupported",
        arguments: ["cinepak", "dirac"]
    )
    func unknown(codec: String) throws {
        #expect(DeclaredSizes(try Caps("video/x-\(codec)")) == nil)
    }
}
