import Testing

@testable import CallMedia

@Suite("Sources of a description")
struct SourceAttributesTests {
    @Test("Sources are left out, and nothing else changes")
    func removed() {
        let text = ["v=0", "m=video 9 x 96", "a=ssrc:1 cname:a", "a=ssrc:1 msid:a b", "a=mid:0", ""]
        #expect(
            SourceAttributes.removed(from: text.joined(separator: "\r\n"))
                == ["v=0", "m=video 9 x 96", "a=mid:0", ""].joined(separator: "\r\n")
        )
    }
}
