import AppFlow
import Foundation
import LiveCore
import Testing

@testable import callrunner

@Suite("The folder of recordings")
struct RecordingsFolderTests {
    private func listed(_ names: [String]) throws -> [LiveItem] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in names {
            #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil))
        }
        return RecordingsFolder(path: folder).list()
    }

    @Test("Recordings are listed, the newest first")
    func order() throws {
        let items = try listed(["1-Bob-20260131T120000Z.mkv", "2-Ann-20260201T080559Z.mkv"])
        #expect(items.map(\.name) == ["2-Ann-20260201T080559Z.mkv", "1-Bob-20260131T120000Z.mkv"])
        #expect(items.map(\.date) == ["2026-02-01 08:05 UTC", "2026-01-31 12:00 UTC"])
        #expect(items.allSatisfy { $0.kind == .recording })
    }

    @Test("Several recordings of one second are listed, also segments, in all containers")
    func numbers() throws {
        let names = [
            "1-Bob-20260131T120000Z-2.mkv", "1-Bob-20260131T120000Z.mp4", "1-B.b-20260131T120000Z.webm",
        ]
        #expect(Set(try listed(names).map(\.name)) == Set(names))
    }

    @Test(
        "Other files are not listed",
        arguments: [
            "holiday.mkv", "1-Bob-20260131T120000Z.mkv.part", "1-Bob-20260131T120000Z.png",
            "20260131T1200.mkv",
            ".mkv", "mkv", "1-Bob-2026x131T120000Z.mkv",
        ]
    )
    func others(name: String) throws { #expect(try listed([name]).isEmpty) }

    @Test("A folder that does not exist is empty")
    func missing() { #expect(RecordingsFolder(path: "/nonexistent/folder").list().isEmpty) }
}
