import Basics
import LiveCore
import LiveMedia
import Testing

@Suite("The packager of a file", .serialized, .timeLimit(.minutes(4)))
struct FilePackagerTests {
    /// Returns the first segments of a file.
    private func segments(
        _ count: Int,
        of path: String,
        isHurried: Bool = false
    ) async throws -> [LiveSegment] {
        let (segments, sink) = AsyncStream.makeStream(of: LiveSegment.self)
        return try await withThrowingTaskGroup(of: [LiveSegment].self) { group in
            group.addTask {
                try await FilePackager(path, library: Project.library, isHurried: isHurried).run {
                    sink.yield($0)
                }
                return []
            }
            group.addTask {
                var found: [LiveSegment] = []
                for await segment in segments where found.count < count {
                    found.append(segment)
                    if found.count == count { break }
                }
                return found
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }

    @Test("An on-demand packager dates the start of its stream 3.1 s before it opens the file")
    func headStart() async throws {
        let began = Timestamp.now
        let found = try await segments(4, of: Project.testVideo, isHurried: true)
        let first = try #require(found.first)
        let opened = first.date + .milliseconds(3100)
        // The file is opened between the two, and then the beginning lies 3.1 s before.
        #expect(opened > began && opened < .now)
        for (one, next) in zip(found, found.dropFirst()) {
            let gap = (next.date - one.date) - one.duration
            #expect(gap < .milliseconds(50) && gap > .milliseconds(-50))
        }
    }

    @Test("A file is cut into transport stream segments at its keyframes, in real time and without gaps")
    func cutting() async throws {
        let start = ContinuousClock.now
        let found = try await segments(4, of: Project.testVideo)
        #expect(found.count == 4)
        #expect(start.duration(to: .now) > .seconds(2))
        for segment in found {
            #expect(segment.bytes.count.isMultiple(of: 188))
            #expect(segment.bytes.first == 0x47)
            #expect(segment.duration >= .milliseconds(900) && segment.duration <= LiveWindow.longestSegment)
        }
        for (one, next) in zip(found, found.dropFirst()) {
            let gap = (next.date - one.date) - one.duration
            #expect(gap < .milliseconds(50) && gap > .milliseconds(-50))
        }
    }

    @Test("The error about a missing file contains its name")
    func missingFile() async {
        await #expect {
            try await segments(1, of: "/missing.mp4")
        } throws: { error in
            (error as? LiveFailure)?.reason == .file && "\(error)".contains("/missing.mp4")
        }
    }
}
