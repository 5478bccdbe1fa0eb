import Testing

@testable import CallMedia

@Suite("Directions of media sections")
struct SectionDirectionsTests {
    @Test("All audio and video sections except the given ones become inactive, and no other line changes")
    func inactivating() {
        let text = [
            "v=0", "a=sendrecv", "m=video 9 x 96", "a=mid:0", "a=sendrecv", "m=audio 9 x 111", "a=recvonly",
            "m=application 9 x y", "a=sendrecv", "m=audio 9 x 8", "a=sendonly", "a=inactive", "",
        ]
        var expected = text
        (expected[6], expected[10]) = ("a=inactive", "a=inactive")
        let result = SectionDirections.inactivating(allBut: [0], in: text.joined(separator: "\r\n"))
        #expect(result == expected.joined(separator: "\r\n"))
    }
}
