import CallCore
import Foundation
import Testing

@testable import CallMedia

@Suite("The place of a recording")
struct RecordingFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, overwrite: Bool = false) throws -> RecordingFile {
        try RecordingFile(path: folder.path(name), container: .mkv, overwrite: overwrite)
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    }

    @Test("A new file is reserved, and removed again where nothing came")
    func reserved() throws {
        let file = try self.file("new.mkv")
        #expect(folder.names == ["new.mkv"])
        file.removeIfEmpty()
        #expect(folder.names == [])
    }

    @Test("An existing file is refused without --overwrite, and untouched with it until something comes")
    func existing() throws {
        try write("precious", to: "old.mkv")
        #expect(throws: MediaFailure.self) { try self.file("old.mkv") }
        let file = try self.file("old.mkv", overwrite: true)
        file.removeIfEmpty()
        #expect(try String(contentsOfFile: folder.path("old.mkv"), encoding: .utf8) == "precious")
    }

    @Test("An empty file that was there before stays")
    func existingEmpty() throws {
        try write("", to: "empty.mkv")
        try file("empty.mkv", overwrite: true).removeIfEmpty()
        #expect(folder.names == ["empty.mkv"])
    }

    @Test("One reservation at a time: the second is refused")
    func twice() throws {
        _ = try file("one.mkv")
        #expect(throws: MediaFailure.self) { try file("one.mkv") }
    }

    @Test(
        "A place that cannot be written is refused with the system's reason",
        arguments: ["no/folder.mkv", "."]
    )
    func unwritable(_ name: String) {
        for overwrite in [false, true] where !(name == "." && !overwrite) {
            #expect {
                try file(name, overwrite: overwrite)
            } throws: { error in
                guard case MediaFailure.recording(let message, let hint) = error else { return false }
                return message.contains("cannot be written: ") && !hint.isEmpty
            }
        }
    }

    @Test("What was recorded stays")
    func recorded() throws {
        let file = try self.file("full.mkv")
        try write("x", to: "full.mkv")
        file.removeIfEmpty()
        #expect(folder.names == ["full.mkv"])
    }

    @Test("Further files are numbered, past those that may not be overwritten")
    func numbers() throws {
        try write("precious", to: "a-2.mkv")
        var number = 1
        let careful = try file("a.mkv")
        #expect(careful.nextPath(from: &number) == folder.path("a.mkv"))
        number = 2
        #expect(careful.nextPath(from: &number) == folder.path("a-3.mkv"))
        #expect(number == 3)
        number = 2
        #expect(try file("a.mkv", overwrite: true).nextPath(from: &number) == folder.path("a-2.mkv"))
    }

    @Test("Two names of one file are the same place")
    func same() throws {
        let one = try file("one.mkv")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("two.mkv"),
            withDestinationPath: folder.path("one.mkv")
        )
        #expect(one.isSame(as: try self.file("two.mkv", overwrite: true)))
        #expect(!one.isSame(as: try self.file("three.mkv")))
    }
}
