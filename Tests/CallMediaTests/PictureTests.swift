import Basics
import Foundation
import Testing

@testable import MediaKit

@Suite("Pictures of users", .enabled(if: Tool.areInstalled, Tool.reason), .timeLimit(.minutes(4)))
struct PictureTests {
    private enum Color: Hashable { case red, green, blue, white, other }

    /// Creates a picture of 640×360: green, red from column 140, blue from the middle, green from column 500.
    private static func stripes(_ name: String, _ options: String = "") async throws -> [UInt8] {
        try await picture(
            "color=green:s=640x360,format=rgb24,drawbox=x=140:y=0:w=180:h=360:color=red:t=fill,"
                + "drawbox=x=320:y=0:w=180:h=360:color=blue:t=fill",
            name,
            options
        )
    }

    private static func picture(_ filter: String, _ name: String, _ options: String = "") async throws
        -> [UInt8]
    {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        let quality = name.hasSuffix(".jpg") ? "-q:v 2" : ""
        try await Tool.ffmpeg("-f lavfi -i \(filter) \(quality) \(options) -frames:v 1", to: path)
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    /// Inserts a segment with the EXIF orientation and a text before the other segments of a JPEG.
    private static func withEXIF(_ jpeg: [UInt8], orientation: UInt8) -> [UInt8] {
        let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        let exif =
            Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0] + entry + [0, 0, 0, 0] + Array("GPS".utf8)
        return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + jpeg.dropFirst(2)
    }

    private static func color(of frame: VideoFrame, _ column: Int, _ row: Int) -> Color {
        frame.withPlanes { planes in
            guard frame.format == .bgrx, let plane = planes.first else { return .other }
            let start = row * plane.stride + 4 * column
            let isLit = plane.bytes[start..<start + 3].map { $0 > 90 }
            switch isLit {
            case [false, false, true]: return .red
            case [false, true, false]: return .green
            case [true, false, false]: return .blue
            case [true, true, true]: return .white
            default: return .other
            }
        }
    }

    private static func size(_ frame: VideoFrame) -> [Int] { [frame.size.width, frame.size.height] }

    // MARK: Decoding

    @Test(
        "JPEG, PNG and WebP are decoded with their size and colors",
        arguments: [
            ("a.jpg", ""), ("progressive.jpg", "-pix_fmt yuvj444p"), ("a.png", ""),
            ("palette.png", "-pix_fmt pal8"),
            ("lossless.webp", "-lossless 1"), ("lossy.webp", "-quality 95"),
        ]
    )
    func formats(name: String, options: String) async throws {
        let frame = try await PictureDecoder.decode(Self.stripes(name, options))
        #expect(Self.size(frame) == [640, 360] && frame.shape == frame.size)
        let colors = [2, 145, 315, 325, 495, 637].map { Self.color(of: frame, $0, 300) }
        #expect(colors == [.green, .red, .red, .blue, .blue, .green])
    }

    @Test(
        "A picture above the maximum side length is scaled down in its aspect ratio; others are unchanged"
    )
    func maximumSide() async throws {
        let picture = try await Self.stripes("a.png")
        let small = try await PictureDecoder.decode(picture, maximumSide: 160)
        #expect(Self.size(small) == [160, 90])
        #expect(Self.color(of: small, 70, 40) == .red && Self.color(of: small, 90, 40) == .blue)
        #expect(Self.size(try await PictureDecoder.decode(picture, maximumSide: 640)) == [640, 360])
        let turned = Self.withEXIF(try await Self.stripes("a.jpg"), orientation: 6)
        #expect(Self.size(try await PictureDecoder.decode(turned, maximumSide: 64)) == [36, 64])
    }

    @Test("A JPEG is rotated by its EXIF orientation, and its pixel density is ignored")
    func orientation() async throws {
        var jpeg = try await Self.stripes("a.jpg")
        let jfif = try #require(jpeg.firstRange(of: Array("JFIF".utf8))?.lowerBound)
        // 65535 × 1 dots
        jpeg.replaceSubrange(jfif + 7..<jfif + 12, with: [0, 0xFF, 0xFF, 0, 1])
        #expect(Self.size(try await PictureDecoder.decode(jpeg)) == [640, 360])
        let frame = try await PictureDecoder.decode(Self.withEXIF(jpeg, orientation: 6))
        #expect(Self.size(frame) == [360, 640])
        #expect([2, 145, 495, 637].map { Self.color(of: frame, 180, $0) } == [.green, .red, .blue, .green])
    }

    @Test("Transparent pixels are blended with white", arguments: ["a.png", "a.webp"])
    func transparency(name: String) async throws {
        let options = name == "a.webp" ? "-lossless 1" : ""
        let clear = try await Self.picture("color=red@0.0:s=64x48,format=rgba", name, options)
        #expect(Self.color(of: try await PictureDecoder.decode(clear), 30, 30) == .white)
    }

    // MARK: Refusals

    private func expect(_ expected: PictureError, _ bytes: [UInt8], _ limit: PictureLimit = .standard) async {
        await #expect(throws: expected) { try await PictureDecoder.decode(bytes, limit: limit) }
        await #expect(throws: expected) { try await AvatarEncoder.avatar(from: bytes, limit: limit) }
    }

    @Test("A file that is not a picture is refused")
    func noPicture() async {
        await expect(.notAPicture, [])
        await expect(.notAPicture, Array("Dear Anna, this is only a text.\n".utf8))
        await expect(.notAPicture, Array("GIF89a".utf8) + [UInt8](repeating: 1, count: 40))
    }

    @Test("Pictures above the size limits are refused before they are decoded")
    func limits() async throws {
        var png = try await Self.stripes("a.png")
        await expect(.tooLarge, png, PictureLimit(bytes: png.count - 1))
        await expect(.tooLarge, png, PictureLimit(side: 639))
        await expect(.tooLarge, png, PictureLimit(pixels: 640 * 360 - 1))
        await expect(.tooLarge, png + [UInt8](repeating: 0, count: 5_000_000))
        // The header claims 30,000 × 30,000.
        png.replaceSubrange(16..<24, with: [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30])
        await expect(.tooLarge, png)
    }

    @Test("An incomplete picture is refused", arguments: ["a.jpg", "a.png", "a.webp"])
    func incomplete(name: String) async throws {
        let picture = try await Self.stripes(name)
        await expect(.damaged, Array(picture.dropLast(picture.count / 3)))
        for count in 0..<picture.count - 1 {
            #expect(throws: PictureError.self) {
                try CheckedPicture(Array(picture.prefix(count)), limit: .standard)
            }
        }
    }

    @Test("A complete picture with invalid content is refused")
    func invalid() async throws {
        var picture = try await Self.stripes("a.png")
        let middle = picture.count / 2
        picture.replaceSubrange(middle..<middle + 16, with: [UInt8](repeating: 0xA5, count: 16))
        await expect(.damaged, picture)
        // A WebP whose canvas is wider than its picture.
        var canvas = try await Self.picture("color=red@0.5:s=64x48,format=yuva420p", "a.webp", "-quality 80")
        try #require(canvas[12..<16].elementsEqual("VP8X".utf8))
        canvas[24] += 1
        await expect(.damaged, canvas)
    }

    @Test("Animations and PNGs with 16 bits per channel without alpha are refused")
    func rareKinds() async throws {
        await expect(.damaged, try await Self.stripes("deep.png", "-pix_fmt rgb48be"))
        let folder = try TemporaryFolder()
        let path = folder.path("moving.webp")
        try await Tool.ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.2", to: path)
        await expect(.damaged, [UInt8](try Data(contentsOf: URL(filePath: path))))
    }

    @Test("Bytes after the end of a picture are not decoded", arguments: ["a.jpg", "a.png", "a.webp"])
    func trailingBytes(name: String) async throws {
        let picture = try await Self.stripes(name)
        let whole = try CheckedPicture(picture, limit: .standard).bytes
        #expect(whole.count <= picture.count && whole.starts(with: picture.prefix(8)))
        #expect(try CheckedPicture(whole, limit: .standard).bytes == whole)
        #expect(try CheckedPicture(picture + picture, limit: .standard).bytes == whole)
        #expect(Self.size(try await PictureDecoder.decode(picture + [1, 2, 3])) == [640, 360])
    }

    @Test(
        "Before decoding, all metadata is removed except the EXIF orientation"
    )
    func metadata() async throws {
        let png = try await Self.stripes("a.png")
        let clean = try CheckedPicture(png, limit: .standard).bytes
        let text: [UInt8] = [0, 0, 0, 4] + Array("zTXta\0\0x".utf8) + [1, 2, 3, 4]
        let many = Array(png[..<33]) + (0..<1000).flatMap { _ in text } + Array(png[33...])
        #expect(try CheckedPicture(many, limit: .standard).bytes == clean)
        let jpeg = try await Self.stripes("a.jpg")
        let bare = try CheckedPicture(jpeg, limit: .standard).bytes
        let others: [UInt8] = [0xFF, 0xE2, 0, 3, 7, 0xFF, 0xED, 0, 2, 0xFF, 0xFE, 0, 3, 7]
        let long = Array(jpeg[..<2]) + others + Array(jpeg[2...])
        #expect(try CheckedPicture(long, limit: .standard).bytes == bare)
        let turned = Self.withEXIF(Self.withEXIF(jpeg, orientation: 8), orientation: 6)
        let kept = try CheckedPicture(turned, limit: .standard).bytes
        #expect(kept.count == bare.count + 36 && !kept.contains(sequence: Array("GPS".utf8)))
        #expect(Self.size(try await PictureDecoder.decode(turned)) == [360, 640])
        // Sub-directories that are named thousands of times.
        let entries = (0..<1850).flatMap { _ in [0x69, 0x87, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0] as [UInt8] }
        let exif = Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 0x3A, 7] + entries
        let segment = [0xFF, 0xE1, UInt8((exif.count + 2) >> 8), UInt8((exif.count + 2) & 255)] + exif
        #expect(
            try CheckedPicture(Array(jpeg[..<2]) + segment + Array(jpeg[2...]), limit: .standard).bytes
                == bare
        )
    }

    @Test("A JPEG with more than 64 scans is refused")
    func scans() throws {
        let start: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC2, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0, 7, 0xFF, 0, 0xFF, 0xD3]
        func jpeg(_ scans: Int) -> [UInt8] { start + (0..<scans).flatMap { _ in scan } + [0xFF, 0xD9] }
        #expect(try CheckedPicture(jpeg(64), limit: .standard).bytes == jpeg(64))
        #expect(throws: PictureError.damaged) { try CheckedPicture(jpeg(65), limit: .standard) }
    }

    @Test("Decoding a picture with changed bytes never traps", arguments: ["a.jpg", "a.png", "a.webp"])
    func mutations(name: String) async throws {
        let picture = try await Self.picture("testsrc2=s=64x48", name)
        var random = SeededGenerator(seed: 20_251)
        for _ in 0..<10_000 {
            var changed = picture
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<min(64, changed.count), using: &random)
                changed[place] = UInt8.random(in: 0 ... .max, using: &random)
            }
            _ = try? CheckedPicture(changed, limit: .standard)
        }
        // Some of them reach a decoder.
        for _ in 0..<50 {
            var changed = picture
            changed[Int.random(in: 30..<changed.count, using: &random)] ^= UInt8(
                1 << Int.random(in: 0..<8, using: &random)
            )
            _ = try? await PictureDecoder.decode(changed)
        }
    }

    @Test("Decoding in a cancelled task throws an error")
    func cancellation() async throws {
        let picture = try await Self.stripes("a.png")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await PictureDecoder.decode(picture)
        }
        await #expect(throws: PictureError.cancelled) { try await task.value }
    }

    // MARK: Avatars

    @Test("An avatar is the central square of a picture as a JPEG without metadata", arguments: [1, 6, 8])
    func square(orientation: UInt8) async throws {
        let picture = Self.withEXIF(try await Self.stripes("a.jpg"), orientation: orientation)
        let avatar = try await AvatarEncoder.avatar(from: picture)
        let header = try #require(PictureHeader(avatar))
        #expect(header.kind == .jpeg && header.width == 360 && header.height == 360)
        #expect(avatar.firstRange(of: Array("Exif".utf8)) == nil && !avatar.contains([0xFF, 0xE1]))
        #expect(avatar.firstRange(of: Array("GPS".utf8)) == nil)
        let frame = try await PictureDecoder.decode(avatar)
        let line = [3, 175, 185, 356]
        let colors = line.map {
            Self.color(of: frame, orientation == 1 ? $0 : 180, orientation == 1 ? 180 : $0)
        }
        let expected: [Color] = [.red, .red, .blue, .blue]
        #expect(colors == (orientation == 8 ? expected.reversed() : expected))
    }

    @Test(
        "An avatar has at most 600 pixels per side, and small pictures are not enlarged",
        arguments: [
            ("1280x720", 600), ("601x1999", 600), ("3001x2003", 600), ("600x600", 600), ("599x900", 599),
            ("17x9", 9),
            ("1x1", 1), ("4096x2", 2),
        ]
    )
    func avatarSize(size: String, side: Int) async throws {
        let picture = try await Self.picture("color=red:s=\(size),format=rgb24", "a.png")
        let avatar = try await AvatarEncoder.avatar(from: picture)
        let header = try #require(PictureHeader(avatar))
        #expect(header.width == side && header.height == side)
        let frame = try await PictureDecoder.decode(avatar)
        #expect(Self.color(of: frame, 0, 0) == .red && Self.color(of: frame, side - 1, side - 1) == .red)
    }

    @Test("The avatar of a large picture is its central square", arguments: ["a.jpg", "a.png", "a.webp"])
    func largeSquare(name: String) async throws {
        let picture = try await Self.stripes(name, "-vf scale=1600:900:flags=neighbor")
        let avatar = try await PictureDecoder.decode(AvatarEncoder.avatar(from: picture))
        #expect(Self.size(avatar) == [600, 600])
        #expect([4, 290, 310, 595].map { Self.color(of: avatar, $0, 300) } == [.red, .red, .blue, .blue])
    }

    /// Creates an I420 frame, red in BT.601 and the limited range left of the middle, and gray elsewhere.
    private static func camera(_ size: Resolution, _ colors: VideoFrame.Colors) -> VideoFrame? {
        func plane(_ width: Int, _ height: Int, _ left: UInt8, _ right: UInt8) -> [UInt8] {
            let row = (0..<width).map { $0 < width / 2 ? left : right }
            return (0..<height).flatMap { _ in row }
        }
        let (columns, rows) = ((size.width + 1) / 2, (size.height + 1) / 2)
        let chroma = plane(columns, rows, 90, 128) + plane(columns, rows, 240, 128)
        let frame = VideoFrame(i420: plane(size.width, size.height, 81, 126) + chroma, size)
        return frame?.withPlanes { VideoFrame(.i420, size, colors: colors, planes: $0, owner: frame) }
    }

    /// Reads blue, green and red of a pixel.
    private static func pixel(of frame: VideoFrame, _ column: Int, _ row: Int) -> [Int] {
        frame.withPlanes { planes in
            let start = row * planes[0].stride + 4 * column
            return planes[0].bytes[start..<start + 3].map { Int($0) }
        }
    }

    @Test(
        "An avatar has the same colors as the camera frame",
        // Computed with the matrices and ranges of ITU-T H.273.
        arguments: [
            (VideoFrame.Colors.bt601, [0, 0, 254], 128), (.bt709, [0, 24, 255], 128),
            (.full, [14, 14, 238], 126),
        ]
    )
    func camera(colors: VideoFrame.Colors, red: [Int], gray: Int) async throws {
        let frame = try #require(Self.camera(Resolution(width: 1283, height: 723), colors))
        let avatar = try await PictureDecoder.decode(AvatarEncoder.avatar(from: frame))
        #expect(Self.size(avatar) == [600, 600])
        let (left, right) = (Self.pixel(of: avatar, 100, 300), Self.pixel(of: avatar, 500, 300))
        for (found, wanted) in zip(left + right, red + [gray, gray, gray]) {
            #expect(abs(found - wanted) <= 6, "\(left) \(right)")
        }
    }

    @Test("An avatar has square pixels even if the frame does not")
    func pixelShape() async throws {
        let bytes = [UInt8](repeating: 128, count: 64 * 90 + 2 * 32 * 45)
        let plain = try #require(VideoFrame(i420: bytes, Resolution(width: 64, height: 90)))
        let shape = Resolution(width: 128, height: 90)
        let frame = try #require(
            plain.withPlanes { VideoFrame(.i420, plain.size, shape: shape, planes: $0, owner: plain) }
        )
        #expect(FrameSquare(frame).size == Resolution(width: 45, height: 90))
        #expect(Self.size(try await PictureDecoder.decode(AvatarEncoder.avatar(from: frame))) == [45, 45])
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
