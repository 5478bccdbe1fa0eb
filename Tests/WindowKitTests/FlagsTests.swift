import CSDL
import Foundation
import Testing

@testable import WindowKit

@Suite("Flags")
@WindowActor struct FlagsTests {
    private static let assets = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "assets").path

    @Test("The flag image contains a flag for every region in the index, inside its cell")
    func all() throws {
        let sheet = try Sheet(folder: Self.assets)
        let index = try #require(FlagIndex(folder: Self.assets))
        #expect(index.regions.count >= 245 && index.columns == 16)
        #expect(index.regions == Set(index.regions).sorted())
        for (number, region) in index.regions.enumerated() {
            let box = Box(
                x: Double(number % 16 * 48),
                y: Double(number / 16 * 36),
                width: 48,
                height: 36
            )
            #expect(sheet.painter.flag(region, in: box))
        }
        let snapshot = try sheet.rendered()
        for (number, region) in index.regions.enumerated() {
            let (left, top) = (number % 16 * 48, number / 16 * 36)
            let inked = sheet.inked(snapshot, left..<left + 48, top..<top + 36)
            let inside = sheet.inked(snapshot, left + 1..<left + 47, top + 1..<top + 35)
            #expect(inked > 48 * 36 / 4, "\(region) is nearly empty")
            #expect(inked == inside, "\(region) reaches the edge of its cell")
        }
    }

    @Test("Ukraine's flag is blue above and yellow below at every size", arguments: [12, 24, 48, 96, 480])
    func ukraine(width: Int) throws {
        let sheet = try Sheet(folder: Self.assets)
        let height = width * 3 / 4
        #expect(
            sheet.painter.flag("UA", in: Box(x: 8, y: 8, width: Double(width), height: Double(height)))
        )
        let snapshot = try sheet.rendered()
        let upper = snapshot[8 + width / 2, 8 + height / 4]
        #expect(upper.red < 60 && (60..<160).contains(upper.green) && upper.blue > 150)
        let lower = snapshot[8 + width / 2, 8 + height * 3 / 4]
        #expect(lower.red > 200 && lower.green > 170 && lower.blue < 90)
    }

    @Test("A flag keeps its aspect ratio and is centered in a wide box")
    func shape() throws {
        let sheet = try Sheet(folder: Self.assets)
        sheet.painter.flag("UA", in: Box(x: 0, y: 0, width: 240, height: 36))
        let snapshot = try sheet.rendered()
        #expect(sheet.inked(snapshot, 96..<144, 0..<36) > 48 * 36 / 2)
        #expect(sheet.inked(snapshot, 0..<96, 0..<36) + sheet.inked(snapshot, 144..<240, 0..<36) == 0)
    }

    @Test("A text that is not a region code has no flag", arguments: ["", "ZZ", "ua", "UKR", "🇺🇦"])
    func unknown(region: String) throws {
        let sheet = try Sheet(folder: Self.assets)
        #expect(!sheet.painter.flag(region, in: Box(width: 48, height: 36)))
        #expect(sheet.inked(try sheet.rendered(), 0..<64, 0..<64) == 0)
    }

    @Test("A flag is not drawn in an empty box")
    func emptyBox() throws {
        let sheet = try Sheet(folder: Self.assets)
        sheet.painter.flag("UA", in: Box(width: 0, height: 36))
        #expect(sheet.inked(try sheet.rendered(), 0..<64, 0..<64) == 0)
    }

    @Test("Without the folder of flags, no flag is drawn", arguments: [nil, "", "/nonexistent", "/dev/null"])
    func missing(folder: String?) throws {
        let sheet = try Sheet(folder: folder)
        #expect(!sheet.painter.flag("UA", in: Box(width: 48, height: 36)))
        #expect(sheet.inked(try sheet.rendered(), 0..<64, 0..<64) == 0)
    }

    /// A change of the files that makes them useless.
    enum Damage: CaseIterable {
        case noPicture, emptyPicture, shortPicture, otherPicture, hugePicture
        case noIndex, brokenIndex, emptyIndex, narrowIndex, hugeIndex
    }

    @Test("With damaged files, no flag is drawn", arguments: Damage.allCases)
    func damaged(damage: Damage) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "flags-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture = folder.appending(path: "flags.png")
        let index = folder.appending(path: "flags.json")
        let whole = try Data(contentsOf: URL(filePath: "\(Self.assets)/flags.png"))
        func write(_ width: Int, _ columns: Int, _ regions: String) throws {
            let text = #"{"width":\#(width),"height":36,"columns":\#(columns),"regions":[\#(regions)]}"#
            try Data(text.utf8).write(to: index)
        }
        try whole.write(to: picture)
        try FileManager.default.copyItem(atPath: "\(Self.assets)/flags.json", toPath: index.path)
        switch damage {
        case .noPicture: try FileManager.default.removeItem(at: picture)
        case .emptyPicture: try Data().write(to: picture)
        case .shortPicture: try whole.prefix(20_000).write(to: picture)
        case .otherPicture: try Data(repeating: 7, count: 4000).write(to: picture)
        case .hugePicture: try (whole.prefix(16) + Data([0, 0, 0x7F, 0, 0, 0, 0x7F, 0])).write(to: picture)
        case .noIndex: try FileManager.default.removeItem(at: index)
        case .brokenIndex: try Data(#"{"width":48"#.utf8).write(to: index)
        case .emptyIndex: try write(48, 16, "")
        case .narrowIndex: try write(0, 16, #""UA""#)
        case .hugeIndex: try write(.max, .max, #""UA""#)
        }
        let sheet = try Sheet(folder: folder.path)
        #expect(!sheet.painter.flag("UA", in: Box(width: 48, height: 36)))
        #expect(sheet.inked(try sheet.rendered(), 0..<64, 0..<64) == 0)
    }

    @Test("Frames with different flags have different digests, and equal frames have the same digest")
    func digests() throws {
        let sheet = try Sheet(folder: Self.assets)
        func digest(_ region: String) -> UInt64 {
            sheet.painter.begin(scale: 1, pixels: (768, 576))
            sheet.painter.flag(region, in: Box(width: 48, height: 36))
            return sheet.painter.context.digest
        }
        let (first, other, again) = (digest("UA"), digest("JP"), digest("UA"))
        #expect(first == again && first != other)
    }
}
