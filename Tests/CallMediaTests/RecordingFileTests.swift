import Basics
import CallCore
import Foundation
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Files reserved for recordings")
struct RecordingFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, overwrite: Bool = false) throws -> RecordingFile {
        try RecordingFile(path: folder.path(name), container: .mkv, overwrite: overwrite)
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    }

    @Test("A reserved file is removed if nothing was recorded")
    func reserved() throws {
        let file = try self.file("new.mkv")
        #expect(folder.names == ["new.mkv"])
        file.removeIfEmpty()
        #expect(folder.names == [])
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test(
        "Private recordings are readable only by the user, including further files; others follow the umask"
    )
    func privacy() throws {
        for isPrivate in [true, false] {
            let name = NameTemplate(literal: folder.path("\(isPrivate).mkv"))
            let file = try RecordingFile(named: name, container: .mkv, overwrite: false, isPrivate: isPrivate)
            var number = 2
            let next = file.nextPath(from: &number)
            _ = try file.open(next)
            #expect(try mode(file.path) & 0o077 == (isPrivate ? 0 : 0o066 & ~mask))
            #expect(try mode(next) == (isPrivate ? 0o600 : 0o666 & ~mask))
        }
    }

    @Test("Private snapshots are readable only by the user; others follow the umask")
    func privateSnapshot() throws {
        for isPrivate in [true, false] {
            let path = folder.path("\(isPrivate).png")
            let file = try SnapshotFile(
                named: NameTemplate(literal: path),
                format: .png,
                interval: nil,
                overwrite: false,
                isPrivate: isPrivate
            )
            for bytes in [[1], [2, 3]] as [[UInt8]] { try file.write(bytes, to: path) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([2, 3]))
            #expect(try mode(path) == (isPrivate ? 0o600 : 0o666 & ~mask))
        }
        #expect(folder.names == ["false.png", "true.png"])
    }

    /// The process's umask, read from /proc because umask(2) cannot read it without setting it.
    private var mask: Int {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("Umask:") }
        return line.flatMap { Int($0.dropFirst(6).filter(\.isNumber), radix: 8) } ?? 0
    }

    @Test("An existing file is refused without --overwrite, and otherwise unchanged until the first sample")
    func existing() throws {
        try write("precious", to: "old.mkv")
        #expect(throws: MediaFailure.self) { try self.file("old.mkv") }
        let file = try self.file("old.mkv", overwrite: true)
        file.removeIfEmpty()
        #expect(try String(contentsOfFile: folder.path("old.mkv"), encoding: .utf8) == "precious")
    }

    @Test("An empty file that existed before the recording is not removed")
    func existingEmpty() throws {
        try write("", to: "empty.mkv")
        try file("empty.mkv", overwrite: true).removeIfEmpty()
        #expect(folder.names == ["empty.mkv"])
    }

    @Test("A second reservation of the same path is rejected")
    func twice() throws {
        _ = try file("one.mkv")
        #expect(throws: MediaFailure.self) { try file("one.mkv") }
    }

    @Test(
        "An unwritable path is rejected with the system's reason",
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

    @Test("A dangling symbolic link is never written to, even with --overwrite", arguments: [false, true])
    func link(_ overwrite: Bool) throws {
        let file = try self.file("a.mkv", overwrite: overwrite)
        symlink(folder.path("elsewhere"), folder.path("a-2.mkv"))
        var number = 2
        #expect(file.nextPath(from: &number) == folder.path("a-3.mkv"))
        #expect(throws: MediaFailure.self) { try file.open(folder.path("a-2.mkv")) }
        #expect(folder.names == ["a-2.mkv", "a.mkv"])
    }

    @Test("A reserved file is not written if another file or a link has replaced it")
    func replaced() throws {
        let file = try self.file("a.mkv")
        try FileManager.default.removeItem(atPath: file.path)
        try write("precious", to: "precious")
        symlink(folder.path("precious"), file.path)
        #expect(throws: MediaFailure.self) { try file.open(file.path) }
        try FileManager.default.removeItem(atPath: file.path)
        try FileManager.default.moveItem(atPath: folder.path("precious"), toPath: file.path)
        #expect(throws: MediaFailure.self) { try file.open(file.path) }
        try FileManager.default.removeItem(atPath: file.path)
        #expect(try file.open(file.path) != nil)
    }

    @Test("A file that takes the place of an open recording is not written")
    func replacedLater() throws {
        let file = try self.file("a.mkv")
        let opened = try #require(try file.open(file.path))
        try FileManager.default.removeItem(atPath: file.path)
        symlink(folder.path("elsewhere"), file.path)
        try "recorded".write(toFile: opened.writingPath, atomically: false, encoding: .utf8)
        #expect(folder.names == ["a.mkv"])
    }

    @Test("A recording file with content is not removed")
    func recorded() throws {
        let file = try self.file("full.mkv")
        try write("x", to: "full.mkv")
        file.removeIfEmpty()
        #expect(folder.names == ["full.mkv"])
    }

    @Test("Further files are numbered, skipping existing files that must not be overwritten")
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

    @Test("Two paths to one file are recognized as the same")
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
