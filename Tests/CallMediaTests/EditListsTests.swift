import CallMedia
import MediaKit
import Testing

@Suite("MP4 edit lists")
struct EditListsTests {
    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count + 8, size: 4) + Array(name.utf8) + content
    }

    private static func number(_ value: Int, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Creates a full box, which consists of version, flags and `parts`.
    private static func full(_ name: String, version: Int = 0, _ parts: [UInt8]...) -> [UInt8] {
        box(name, number(version << 24, size: 4) + parts.joined())
    }

    private static func track(_ id: Int, edits: [UInt8]?) -> [UInt8] {
        let times = number(0, size: 8)
        return box("trak", full("tkhd", times, number(id, size: 4)) + (edits.map { box("edts", $0) } ?? []))
    }

    private static func index(_ tracks: [UInt8]..., timescale: Int = 3000) -> [UInt8] {
        box("moov", full("mvhd", number(0, size: 8), number(timescale, size: 4)) + tracks.joined())
    }

    private static let late = full(
        "elst",
        number(2, size: 4),
        number(600, size: 4),
        number(-1, size: 4),
        number(1 << 16, size: 4),
        number(100, size: 4),
        number(0, size: 4),
        number(1 << 16, size: 4)
    )
    private static let atOnce = full(
        "elst",
        number(1, size: 4),
        number(60, size: 4),
        number(0, size: 4),
        number(1 << 16, size: 4)
    )

    @Test("An empty edit delays the start of its track")
    func delay() {
        let lists = EditLists(
            index: Self.index(Self.track(1, edits: Self.late), Self.track(2, edits: Self.atOnce)),
            at: 1000
        )
        #expect(lists.delays == [1: 200_000_000])
        #expect(lists.places.count == 2)
    }

    @Test("The 64-bit times of a version 1 edit list are read")
    func large() {
        let list = Self.full(
            "elst",
            version: 1,
            Self.number(1, size: 4),
            Self.number(4500, size: 8),
            Self.number(-1, size: 8),
            Self.number(1 << 16, size: 4)
        )
        #expect(EditLists(index: Self.index(Self.track(7, edits: list)), at: 0).delays == [7: 1_500_000_000])
    }

    @Test("The reported position of an edit list points to the type field of its `edts` box")
    func places() throws {
        let index = Self.index(Self.track(1, edits: nil), Self.track(2, edits: Self.late))
        let lists = EditLists(index: index, at: 40)
        let place = try #require(lists.places.first)
        #expect(lists.places.count == 1)
        #expect(String(decoding: index[Int(place - 40)...].prefix(4), as: UTF8.self) == "edts")
    }

    @Test("A truncated or corrupt movie index (moov) is read as far as possible")
    func broken() {
        let whole = Self.index(Self.track(1, edits: Self.late))
        for length in 0...whole.count {
            // The field with the delay ends 16 bytes before the end of the index.
            let lists = EditLists(index: Array(whole.prefix(length)), at: 0)
            #expect(lists.delays.isEmpty || length >= whole.count - 16)
        }
        for place in whole.indices {
            var changed = whole
            changed[place] = 0xFF
            #expect(EditLists(index: changed, at: .max / 2).places.count <= 1)
        }
        #expect(
            EditLists(index: Self.index(Self.track(1, edits: Self.late), timescale: 0), at: 0).delays.isEmpty
        )
    }
}
