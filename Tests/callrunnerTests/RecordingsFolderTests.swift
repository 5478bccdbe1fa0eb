import AppFlow
import Basics
import Foundation
import Testing

@testable import callrunner

@Suite("The folder of recordings")
struct RecordingsFolderTests {
    /// A folder that is removed at the end of a test.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID())").path

        init(_ names: [String]) throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for name in names {
                #expect(FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data("abc".utf8)))
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var recordings: [Recording] { RecordingsFolder(path: path).list() }
        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
        }
    }

    @Test("Recordings are listed with their titles, the newest first")
    func order() throws {
        let folder = try Folder(["1-Bob-20260131T120000Z.mkv", "2-Ann-20260201T080559Z.mkv"])
        #expect(folder.recordings.map(\.title) == ["2-Ann", "1-Bob"])
        #expect(
            folder.recordings.map { "\($0.began)" } == [
                "2026-02-01T08:05:59.000Z", "2026-01-31T12:00:00.000Z",
            ]
        )
        #expect(folder.recordings.map(\.bytes) == [3, 3])
    }

    @Test("Recordings of the same second, segments and all container formats are listed")
    func numbers() throws {
        let names = [
            "1-B.b-20260131T120000Z.webm", "1-Bob-20260131T120000Z-2.mkv", "1-Bob-20260131T120000Z.mp4",
        ]
        let recordings = try Folder(names).recordings
        #expect(Set(recordings.map(\.title)) == ["1-Bob", "1-B.b"])
        #expect(recordings.count == 3)
    }

    @Test(
        "Files with other names are not listed",
        arguments: [
            "holiday.mkv", "1-Bob-20260131T120000Z.mkv.part", "1-Bob-20260131T120000Z.png",
            "20260131T1200.mkv", "1-Bob-20260131T120000Z-x.mkv", "1-Bob-20260131T120000Z2.mkv",
            "1-Bob-20261331T120000Z.mkv", "Bob20260131T120000Z.mkv",
            ".mkv", "mkv", "1-Bob-2026x131T120000Z.mkv",
        ]
    )
    func others(name: String) throws { #expect(try Folder([name]).recordings.isEmpty) }

    @Test("A missing folder lists no recordings, and subfolders and pipes are not listed")
    func missing() throws {
        #expect(RecordingsFolder(path: "/nonexistent/folder").list().isEmpty)
        let folder = try Folder([])
        let path = "\(folder.path)/1-Bob-20260131T120000Z"
        try FileManager.default.createDirectory(atPath: "\(path).mkv", withIntermediateDirectories: true)
        #expect(mkfifo("\(path)-2.mkv", 0o600) == 0)
        #expect(folder.recordings.isEmpty)
    }

    @Test("A renamed recording keeps its time and its number")
    func rename() throws {
        let folder = try Folder(["1-Bob-20260131T120000Z-2.mkv"])
        let title = try #require(RecordingTitle("Bob’s birthday – 2"))
        let recording = try #require(folder.recordings.first)
        let renamed = try RecordingsFolder(path: folder.path).rename(recording, to: title)
        #expect(try folder.names == ["Bob’s birthday – 2-20260131T120000Z-2.mkv"])
        #expect(folder.recordings == [renamed])
        #expect(renamed.title == title.text && renamed.began == recording.began)
    }

    @Test("Renaming a recording never replaces another one")
    func taken() throws {
        let names = ["a-20260131T120000Z.mkv", "b-20260131T120000Z.mkv"]
        let folder = try Folder(names)
        let recording = try #require(folder.recordings.first { $0.title == "a" })
        let title = try #require(RecordingTitle("b"))
        #expect(throws: RecordingProblem.taken) {
            try RecordingsFolder(path: folder.path).rename(recording, to: title)
        }
        #expect(try folder.names == names)
    }

    @Test("A recording whose title begins with a combining mark is renamed within its folder")
    func mark() throws {
        let folder = try Folder(["\u{301}a-20260131T120000Z.mkv"])
        let recording = try #require(folder.recordings.first)
        let title = try #require(RecordingTitle("b"))
        let renamed = try RecordingsFolder(path: folder.path).rename(recording, to: title)
        #expect(renamed.folder == folder.path)
        #expect(try folder.names == ["b-20260131T120000Z.mkv"])
    }

    @Test("A deleted recording is gone, and deleting it again fails with the reason")
    func delete() throws {
        let folder = try Folder(["a-20260131T120000Z.mkv"])
        let recording = try #require(folder.recordings.first)
        try RecordingsFolder(path: folder.path).delete(recording)
        #expect(try folder.names.isEmpty)
        let problem = RecordingProblem.failed("No such file or directory")
        #expect(throws: problem) { try RecordingsFolder(path: folder.path).delete(recording) }
    }
}
