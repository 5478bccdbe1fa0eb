import Basics
import Foundation
import LiveCore
import Logging
import ServerStore
import Testing

@testable import LiveServer

@Suite("Recordings of live streams")
struct RecordingsTests {
    private let folder =
        FileManager.default.temporaryDirectory.path + "/live-\(UInt64.random(in: 0 ... .max))"
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs `body` with the streams of a server whose data is removed afterwards.
    private func withStreams(_ body: (ServerDatabase, LiveStreams) async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try await ServerDatabase.open(ServerFolder(folder), LiveSchema.migrations)
        try await body(database, try await LiveStreams(database))
    }

    /// Reads the playlist with a playback ID; nil if there is none.
    private func playlist(_ streams: LiveStreams, _ playbackID: String) async throws -> String? {
        try await streams.playlist(ofRecording: playbackID, nil).map(\.path).map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
    }

    /// Returns segments of a stream of video.
    private func segments(
        _ count: UInt32,
        record lastByte: UInt8 = 0x68,
        length: UInt32 = 2
    ) throws -> [LiveSegment] {
        var packager = SegmentPackager(duration: .seconds(1), isRecorded: true)
        let record: [UInt8] = [1, 0x42, 0xC0, 0x1E, 0xFF, 0xE1, 0, 2, 0x67, 0x42, 1, 0, 1, lastByte]
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        _ = try packager.add(.videoConfiguration(record[...]), at: 0, now: now)
        return try (0...count).compactMap { number in
            let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
            let units = size + [0x65] + [UInt8](repeating: 7, count: Int(length) - 1)
            return try packager.add(
                .video(isKeyframe: true, offset: 0, units[...]),
                at: number * 1000,
                now: now + .seconds(Int(number))
            )
        }
    }

    @Test("A recording has all segments, can be played when it is complete, and is deleted with its files")
    func life() async throws {
        try await withStreams { database, streams in
            let recordings = streams.recordings
            let id = try await recordings.run(logger) {
                let id = recordings.begin("stream", .everybody)
                for segment in try segments(3) + segments(2, record: 0x69) {
                    _ = recordings.add(segment, to: id)
                }
                // Without an end, the recording is completed when the server stops.
                return id
            }
            let record = try #require(try await recordings.table.recording(id))
            #expect(!record.isActive && record.milliseconds == 5000)
            let text = try #require(try await playlist(streams, record.playbackID))
            #expect(try MediaPlaylist(text).duration == .seconds(5))
            #expect(text.contains("#EXT-X-DISCONTINUITY"))
            for number in 0..<2 {
                let path = try #require(try await streams.path(ofFile: number, of: record.playbackID, nil))
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
            #expect(try await playlist(streams, id) == nil)
            #expect(try await streams.path(ofFile: 0, of: id, nil) == nil)
            try await streams.delete(recording: id)
            #expect(try await recordings.table.all().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/recordings").isEmpty)
            await #expect(throws: LiveRefusal.noAsset) { try await streams.delete(recording: id) }
        }
    }

    @Test("A recording whose process was killed is completed at the next start, up to its last whole segment")
    func killed() async throws {
        try await withStreams { database, streams in
            let record = RecordingRecord(of: "stream", .everybody)
            try await streams.recordings.table.insert(record)
            let files = RecordingFolder(folder: ServerFolder("\(folder)/recordings/\(record.id)"))
            var writer = RecordingWriter(files)
            for segment in try segments(2) {
                let movie = try #require(segment.movie)
                try writer.add(.init(movie: movie, duration: segment.duration, date: segment.date))
            }
            for name in [RecordingFolder.index, RecordingFolder.file(0)] {
                let handle = try #require(FileHandle(forWritingAtPath: files.path(name)))
                try handle.seekToEnd()
                try handle.write(contentsOf: Data("1234 56".utf8))
                try handle.close()
            }
            let next = try await LiveStreams(database)
            await next.record(logger) {}
            let found = try #require(try await next.recordings.table.recording(record.id))
            #expect(!found.isActive && found.milliseconds == 2000)
            let text = try #require(try await playlist(next, record.playbackID))
            #expect(text.hasSuffix("#EXT-X-ENDLIST\n"))
            let film = try Data(contentsOf: URL(filePath: files.path(RecordingFolder.file(0))))
            #expect(film.suffix(7) != Data("1234 56".utf8))
        }
    }

    @Test("A recording that cannot be written ends, and the others go on")
    func unwritable() async throws {
        try await withStreams { database, streams in
            let recordings = streams.recordings
            let (broken, whole) = try await recordings.run(logger) {
                let (broken, whole) = (
                    recordings.begin("one", .everybody), recordings.begin("two", .everybody)
                )
                // A file is in the place of the folder.
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/recordings",
                    withIntermediateDirectories: true
                )
                _ = FileManager.default.createFile(atPath: "\(folder)/recordings/\(broken)", contents: Data())
                for segment in try segments(2) {
                    _ = recordings.add(segment, to: broken)
                    _ = recordings.add(segment, to: whole)
                }
                recordings.end(broken)
                return (broken, whole)
            }
            #expect(try await recordings.table.recording(broken)?.milliseconds == 0)
            #expect(try await recordings.table.recording(whole)?.milliseconds == 2000)
        }
    }

    @Test("A recording that is being made is neither played nor deleted")
    func active() async throws {
        try await withStreams { _, streams in
            let recordings = streams.recordings
            try await recordings.run(logger) {
                let id = recordings.begin("stream", .everybody)
                for segment in try segments(1) { #expect(recordings.add(segment, to: id)) }
                while try await recordings.table.recording(id) == nil {
                    try await Task.sleep(for: .milliseconds(5))
                }
                let record = try #require(try await recordings.table.recording(id))
                await #expect(throws: (any Error).self) { try await playlist(streams, record.playbackID) }
                await #expect(throws: LiveRefusal.self) { try await streams.delete(recording: id) }
            }
        }
    }

    @Test("A stream without a segment leaves no recording")
    func empty() async throws {
        try await withStreams { _, streams in
            await streams.recordings.run(logger) {
                streams.recordings.end(streams.recordings.begin("stream", .everybody))
            }
            let stored = try await streams.recordings.table.all()
            #expect(stored.isEmpty)
        }
    }

    @Test("Segments are dropped while too much waits for the disk, and then until another file begins")
    func slowDisk() async throws {
        try await withStreams { _, streams in
            let recordings = streams.recordings
            let id = recordings.begin("stream", .everybody)
            let segments = try segments(20, length: 4_000_000)
            #expect(
                segments.map { recordings.add($0, to: id) } == Array(repeating: true, count: 16) + [
                    false, false, false, false,
                ]
            )
            #expect(recordings.waitingBytes <= 64 << 20)
            let later = try self.segments(2, length: 10)
            try await recordings.run(logger) {
                while recordings.waitingBytes > 0 { try await Task.sleep(for: .milliseconds(5)) }
                #expect(!recordings.add(segments[19], to: id))
                #expect(recordings.add(later[0], to: id))
            }
        }
    }
}
