import AppFlow
import Basics
import Foundation
import MediaKit
import Testing

@testable import callrunner

@Suite("Previews of recordings", .timeLimit(.minutes(4)))
struct RecordingPreviewTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let testVideo = root.appending(path: "assets/webRtcTestVideo.mp4").path

    private let home = FileManager.default.temporaryDirectory.appending(path: "previews-\(UUID())").path

    private func archive() throws -> RecordingArchive {
        let library = try #require(PipelineLibrary.find(among: [Self.root.appending(path: "pipelines").path]))
        return RecordingArchive(environment: ["HOME": home], library: library, limit: .standard)
    }

    private func recording(_ path: String) -> Recording {
        let url = URL(filePath: path)
        return Recording(
            folder: url.deletingLastPathComponent().path,
            name: url.lastPathComponent,
            title: "x",
            began: Timestamp(milliseconds: 0),
            bytes: 1
        )
    }

    @Test("The preview of a recording has a duration and a small picture, and is cached")
    func video() async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        let path = "\(home)/film.mp4"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Self.testVideo, toPath: path)
        let time = Date(timeIntervalSince1970: 1_800_000_000)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        let first = try #require(await archive().preview(of: recording(path)))
        let picture = try #require(first.picture)
        #expect(picture.size.width <= 320 && picture.size.height <= 180)
        #expect(picture.size.width == 320 || picture.size.height == 180)
        #expect(try #require(first.duration) > .seconds(1))
        // The same size and time, but nothing that could be decoded.
        let size = try Data(contentsOf: URL(filePath: path)).count
        try Data(repeating: 7, count: size).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        let second = try #require(await archive().preview(of: recording(path)))
        #expect(second.picture?.i420Bytes == picture.i420Bytes)
        #expect(second.picture?.size == picture.size)
        let drift = try #require(first.duration) - (try #require(second.duration))
        #expect(drift >= .zero && drift < .milliseconds(1))
    }

    @Test("The cached preview of a recording is removed with the recording")
    func removal() async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        let name = "a-20260131T120000Z.mp4"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Self.testVideo, toPath: "\(home)/\(name)")
        let archive = try archive()
        let previews = "\(home)/.cache/callrunner/previews"
        _ = await archive.preview(of: recording("\(home)/\(name)"))
        let before = try FileManager.default.contentsOfDirectory(atPath: previews)
        let title = try #require(RecordingTitle("b"))
        let renamed = try await archive.rename(recording("\(home)/\(name)"), to: title)
        let after = try FileManager.default.contentsOfDirectory(atPath: previews)
        #expect(before.count == 1 && after.count == 1 && before != after)
        try await archive.delete(renamed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: previews).isEmpty)
    }

    @Test("A file without media has no preview and is not cached")
    func garbage() async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let path = "\(home)/film.mkv"
        try Data(repeating: 7, count: 5000).write(to: URL(filePath: path))
        #expect(try await archive().preview(of: recording(path)) == nil)
        #expect(try await archive().preview(of: recording("\(home)/missing.mkv")) == nil)
        #expect(!FileManager.default.fileExists(atPath: "\(home)/.cache/callrunner/previews"))
    }

    @Test(
        "A damaged cache entry yields no preview",
        arguments: [
            "", "\n", "1 2\n", "1 2 3", "1 4 4\nabc", "1 99999999999 99999999999\n", "1 -1 -1\nabc",
            "1 2 9999\n",
            "1 9223372036854775807 2\n", "x 0 0\n",
        ]
    )
    func damaged(text: String) {
        #expect(RecordingPreview(cached: Array(text.utf8)) == nil)
    }
}
