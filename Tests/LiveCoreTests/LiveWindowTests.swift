import Basics
import LiveCore
import Testing

@Suite("The window of a live channel")
struct LiveWindowTests {
    private func segment(_ number: Int, seconds: Double = 1, isDiscontinuous: Bool = false) -> LiveSegment {
        LiveSegment(
            [UInt8(truncatingIfNeeded: number)],
            .milliseconds(Int(seconds * 1000)),
            date: Timestamp(milliseconds: Int64(number) * 1000),
            isDiscontinuous: isDiscontinuous
        )
    }

    private func window(_ count: Int) -> LiveWindow {
        var window = LiveWindow()
        for number in 0..<count { window.add(segment(number)) }
        return window
    }

    private func playlist(_ window: LiveWindow) -> MediaPlaylist? { window.playlist { "\($0).ts" } }

    @Test("A playlist is available from the second segment on")
    func beginning() {
        #expect(playlist(window(0)) == nil)
        #expect(playlist(window(1)) == nil)
        #expect(playlist(window(2))?.segments.map(\.uri) == ["0.ts", "1.ts"])
    }

    @Test("The playlist lists the newest six segments, and four older ones can still be loaded")
    func oldSegments() throws {
        let window = window(20)
        let list = try #require(playlist(window))
        #expect(list.firstNumber == 14)
        #expect(list.segments.map(\.uri) == (14..<20).map { "\($0).ts" })
        #expect(list.segments.first?.date == Timestamp(milliseconds: 14_000))
        #expect((0..<30).filter { window.segment($0) != nil } == Array(10..<20))
        #expect(window.segment(12)?.bytes == [12])
        #expect(window.segment(.min) == nil && window.segment(.max) == nil)
        #expect(window.size == 10)
    }

    @Test(
        "Numbering starts with the first segment's date in seconds, so that numbers do not repeat after a restart"
    )
    func numbers() {
        var window = LiveWindow()
        for number in 1000...1001 { window.add(segment(number)) }
        #expect(playlist(window)?.segments.map(\.uri) == ["1000.ts", "1001.ts"])
    }

    @Test("Discontinuities that leave the playlist are counted")
    func discontinuities() throws {
        var window = LiveWindow()
        for number in 0..<20 { window.add(segment(number, isDiscontinuous: [3, 12, 16].contains(number))) }
        let list = try #require(playlist(window))
        #expect(list.firstDiscontinuity == 2)
        #expect(list.segments.map(\.isDiscontinuous) == [false, false, true, false, false, false])
    }

    @Test("The target duration is fixed, and a longer segment starts a new playlist with a discontinuity")
    func longerSegment() throws {
        var window = window(3)
        window.add(segment(3, seconds: 1.4))
        #expect(playlist(window)?.targetDuration == 1)
        window.add(segment(4, seconds: 2))
        let list = try #require(playlist(window))
        #expect(list.targetDuration == 2)
        #expect(list.firstNumber == 4)
        #expect(list.segments.map(\.isDiscontinuous) == [true])
    }

    @Test("An interrupted stream has no playlist, and continues its numbering in a new playlist")
    func interruption() throws {
        var window = LiveWindow()
        window.clear()
        for number in 10..<13 { window.add(segment(number)) }
        #expect(playlist(window)?.segments.map(\.isDiscontinuous) == [false, false, false])
        window.clear()
        #expect(playlist(window) == nil && window.segment(12) == nil && window.size == 0)
        window.add(segment(50))
        #expect(playlist(window) == nil)
        window.add(segment(51))
        let list = try #require(playlist(window))
        #expect(list.segments.map(\.uri) == ["13.ts", "14.ts"])
        #expect(list.segments.map(\.isDiscontinuous) == [true, false])
        #expect(!list.isEnded)
    }

    @Test("A stream that resumes after its end starts a new playlist")
    func ending() throws {
        var window = LiveWindow()
        window.end()
        #expect(!window.isEnded)
        window = self.window(3)
        window.end()
        #expect(playlist(window)?.isEnded == true)
        for number in 3..<5 { window.add(segment(number)) }
        let list = try #require(playlist(window))
        #expect(!list.isEnded)
        #expect(list.firstNumber == 3)
        #expect(list.segments.map(\.isDiscontinuous) == [true, false])
    }
}
