import FrontParsers
import Testing

@Suite("Ranges and entity tags of requests")
struct ByteRangeTests {
    @Test(
        "A range selects bytes by their first and last positions, or by a count from the end",
        arguments: [
            ("bytes=0-0", 0...0), ("bytes=2-4", 2...4), ("Bytes=2-", 2...9), ("bytes=-3", 7...9),
            ("bytes=5-99", 5...9), ("bytes=-99", 0...9), ("bytes= 1-2 ", 1...2),
            ("bytes=1-99999999999999999999", 1...9),
        ]
    )
    func part(field: String, part: ClosedRange<Int>) {
        #expect(ByteRange(field, length: 10) == .part(part))
    }

    @Test(
        "A malformed range, several ranges and other units are ignored",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=4-2", "bytes=a-b", "bytes=1", "bytes=+1-2",
            "bytes=0-1,3-4",
            "items=0-1", "bytes=0x1-2", "bytes=١-٢",
        ]
    )
    func ignored(field: String?) {
        #expect(ByteRange(field, length: 10) == .whole)
    }

    @Test(
        "A range without any byte of the file cannot be satisfied",
        arguments: ["bytes=10-", "bytes=99-100", "bytes=-0"]
    )
    func unsatisfiable(field: String) {
        #expect(ByteRange(field, length: 10) == .unsatisfiable)
        #expect(ByteRange("bytes=0-", length: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-1", length: 0) == .unsatisfiable)
    }

    @Test("A condition matches an entity tag in its list, strong or weak, and an asterisk matches any tag")
    func conditions() {
        for condition in [["\"a\""], ["W/\"a\""], ["\"b\", \"a\""], ["\"b\"", " \"a\" "], ["*"]] {
            #expect(EntityTag.matches("\"a\"", condition), "\(condition)")
        }
        for condition in [[], ["\"b\""], ["a"], ["\"a"], ["W/"], ["W/W/\"a\""]] {
            #expect(!EntityTag.matches("\"a\"", condition), "\(condition)")
        }
    }
}
