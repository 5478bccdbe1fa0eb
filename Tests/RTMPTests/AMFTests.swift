import RTMP
import Testing

@Suite("AMF 0 values")
struct AMFTests {
    @Test("Values are encoded as the specification defines")
    func encoding() {
        let values: [AMFValue] = ["a", 1, true, .null, .undefined, ["b": 2]]
        #expect(
            AMFEncoder.encode(values) == [
                2, 0, 1, 0x61, 0, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 1, 1, 5, 6, 3, 0, 1, 0x62, 0, 0x40, 0, 0, 0,
                0, 0, 0,
                0, 0, 0, 9,
            ]
        )
    }

    @Test("Values are decoded to what was encoded")
    func roundTrip() throws {
        let values: [AMFValue] = [
            "connect", 1, ["app": "live", "nested": ["x": true]], .array([1, "two", .null]), .date(1e12),
            .string(String(repeating: "ї", count: 40_000)), .undefined,
        ]
        #expect(try AMFDecoder.decode(AMFEncoder.encode(values)) == values)
    }

    @Test("The announced number of members of an associative array is ignored")
    func associativeArray() throws {
        let bytes: [UInt8] = [8, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 0x61, 1, 1, 0, 0, 9]
        #expect(try AMFDecoder.decode(bytes) == [["a": true]])
    }

    @Test("The class name of an object is ignored")
    func typedObject() throws {
        #expect(try AMFDecoder.decode([16, 0, 1, 0x43, 0, 1, 0x61, 5, 0, 0, 9]) == [.object(["a": .null])])
    }

    @Test("A member with an empty name is not the end of its object")
    func emptyName() throws {
        #expect(try AMFDecoder.decode([3, 0, 0, 5, 0, 0, 9]) == [.object(["": .null])])
    }

    @Test("Text that is not UTF-8 is repaired")
    func invalidText() throws {
        #expect(try AMFDecoder.decode([2, 0, 2, 0x61, 0xE4]) == ["a\u{FFFD}"])
    }

    @Test("Combining marks in a row are separated, because comparing them would take long")
    func marks() throws {
        let marks = Array(String(repeating: "\u{301}\u{316}", count: 500).utf8)
        let text = try AMFDecoder.decode([2, UInt8(marks.count >> 8), UInt8(marks.count & 0xFF)] + marks)
        #expect(text.first?.stringValue?.unicodeScalars.count { $0 == "\u{34F}" } == 33)
    }

    @Test(
        "Truncated values are refused",
        arguments: [
            [0, 1], [1], [2, 0, 2, 0x61], [3, 0, 1, 0x61], [3, 0, 0], [10, 0, 0, 0, 1], [11, 0], [12, 1],
        ]
    )
    func truncated(bytes: [UInt8]) {
        #expect(throws: RTMPViolation.truncated) { try AMFDecoder.decode(bytes) }
    }

    @Test("Unknown types, references and misplaced ends are refused", arguments: [4, 7, 9, 14, 17, 200])
    func unsupported(type: UInt8) {
        #expect(throws: RTMPViolation.unsupportedValue(type)) { try AMFDecoder.decode([type, 0, 0]) }
    }

    @Test("The nesting depth is limited")
    func depth() {
        let bytes = Array(repeatElement([10, 0, 0, 0, 1] as [UInt8], count: 100_000).joined())
        #expect(throws: RTMPViolation.valueTooComplex) { try AMFDecoder.decode(bytes) }
    }

    @Test("The number of values is limited, in a message and in an announced array")
    func count() throws {
        let most = AMFDecoder.maximumValues
        #expect(try AMFDecoder.decode([UInt8](repeating: 5, count: most)).count == most)
        #expect(throws: RTMPViolation.valueTooComplex) {
            try AMFDecoder.decode([UInt8](repeating: 5, count: most + 1))
        }
        #expect(throws: RTMPViolation.valueTooComplex) {
            try AMFDecoder.decode([10, 0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 5, count: most))
        }
    }
}
