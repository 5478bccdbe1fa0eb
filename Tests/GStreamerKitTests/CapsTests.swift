import CGStreamer
import GLibKit
import Testing

@testable import GStreamerKit

@Suite("Caps and structures")
struct CapsTests {
    @Test("Fields of caps are read by their types")
    func fields() throws {
        let caps = try Caps("video/x-raw, format=(string)I420, width=(int)-3, ssrc=(uint)4000000000")
        #expect(caps.mediaType == "video/x-raw")
        #expect(caps.string("format") == "I420")
        #expect(caps.int("width") == -3)
        #expect(caps.uint("ssrc") == 4_000_000_000)
    }

    @Test("A missing field, or a field of another type, reads as nil", arguments: ["nothing", "width", ""])
    func otherTypes(_ field: String) throws {
        let caps = try Caps("video/x-raw, format=(string)I420, width=(int)[1,8]")
        #expect(caps.string(field) == nil)
        #expect(caps.int(field) == nil)
        #expect(caps.uint(field) == nil)
    }

    @Test(
        "Replacing a field changes only a copy, and adds no missing field",
        arguments: [
            ("video/x-h264, level=(string)5.1", "1"), ("video/x-h264", nil), ("EMPTY", nil),
        ] as [(String, String?)]
    )
    func replaced(_ text: String, _ level: String?) throws {
        let caps = try Caps(text)
        #expect(caps.replacing("level", with: "1").string("level") == level)
        #expect(caps.description == text)
    }

    @Test("Caps without a structure have no type and no fields", arguments: ["ANY", "EMPTY"])
    func withoutStructure(_ text: String) throws {
        let caps = try Caps(text)
        #expect(caps.mediaType == "")
        #expect(caps.int("width") == nil)
        #expect(caps.uint("width") == nil)
        #expect(caps.string("width") == nil)
    }

    @Test(
        "Text that is not valid caps is refused",
        arguments: ["=", "video/x-raw,width=(int)", "a/b,c={", "a/b,c=[1,", "\u{1}", "é", ";;"]
    )
    func refused(_ text: String) {
        #expect(throws: GStreamerError.self) { try Caps(text) }
    }

    @Test("Retaining caps adds one reference")
    func references() throws {
        let caps = try Caps("a/b")
        let second = Caps(retaining: caps.pointer)
        #expect(caps.pointer.pointee.mini_object.refcount == 2)
        withExtendedLifetime(second) {}
    }

    @Test(
        "Numbers of any type are read from a structure",
        arguments: [
            "(int)-5", "(uint)7", "(gint64)-9", "(guint64)18446744073709551615", "(double)0.5",
        ]
    )
    func numbers(_ value: String) throws {
        try Self.withStructure("answer, field=\(value)") { structure in
            let digits = value.drop { $0 != ")" }.dropFirst()
            #expect(structure.number("field") == Double(digits))
            #expect(structure.string("field") == nil)
            #expect(structure.structure("field") == nil)
            #expect(structure.error("field") == nil)
        }
    }

    @Test("Nested structures and field names are read")
    func nested() throws {
        try Self.withStructure("answer, one=(structure)\"inner, two=(int)2;\", three=(int)3") { structure in
            #expect(structure.name == "answer")
            #expect(structure.fieldNames.sorted() == ["one", "three"])
            #expect(structure.structure("one")?.number("two") == 2)
            #expect(structure.structure("three") == nil)
            #expect(structure.number("one") == nil)
        }
    }

    private static func withStructure(_ text: String, _ body: (Structure) -> Void) throws {
        GStreamer.start()
        let structure = try #require(gst_structure_from_string(text, nil))
        defer { gst_structure_free(structure) }
        body(Structure(structure))
    }
}
