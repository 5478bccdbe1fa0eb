import CallCore
import Foundation
import Testing

@testable import CallMedia

@Suite("A file that takes its name when it is whole")
struct PartialFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    @Test("It is nobody else's before, and has the permissions of what it replaces")
    func replaces() throws {
        let path = folder.path("call.mkv")
        try Data("before".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let part = try PartialFile(for: path)
        #expect(try mode(part.path) == 0o600 && part.path.hasPrefix(path) && part.path.hasSuffix(".part"))
        try Data("whole".utf8).write(to: URL(fileURLWithPath: part.writingPath), options: [])
        #expect(part.size == 5)
        try part.takeName()
        part.discard()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "whole")
        #expect(try mode(path) == 0o640)
        #expect(try names == ["call.mkv"])
    }

    @Test("Two for one destination do not know each other")
    func two() throws {
        let path = folder.path("call.mkv")
        let (one, other) = (try PartialFile(for: path), try PartialFile(for: path))
        #expect(one.path != other.path)
        one.discard()
        try other.takeName()
        #expect(try names == ["call.mkv"])
    }

    @Test("What somebody puts under its name meanwhile is neither written, moved nor deleted")
    func exchanged() throws {
        let (path, foreign) = (folder.path("call.mkv"), folder.path("foreign"))
        try Data("foreign".utf8).write(to: URL(fileURLWithPath: foreign))
        let part = try PartialFile(for: path)
        try FileManager.default.removeItem(atPath: part.path)
        try FileManager.default.createSymbolicLink(atPath: part.path, withDestinationPath: foreign)
        try Data("ours".utf8).write(to: URL(fileURLWithPath: part.writingPath), options: [])
        #expect(throws: MediaFailure.self) { try part.takeName() }
        part.discard()
        #expect(try String(contentsOfFile: foreign, encoding: .utf8) == "foreign")
        #expect(FileIdentity(path: part.path) != nil && FileIdentity(path: path) == nil)
    }

    @Test("A place that was reserved is given back only where it is still the same file")
    func reserved() throws {
        let path = folder.path("call.mkv")
        try ReservedPath(path, overwrite: false).removeIfEmpty()
        #expect(try names.isEmpty)
        let place = try ReservedPath(path, overwrite: false)
        try FileManager.default.moveItem(atPath: path, toPath: folder.path("ours"))
        try Data().write(to: URL(fileURLWithPath: path))
        place.removeIfEmpty()
        #expect(try names == ["call.mkv", "ours"])
    }

    @Test("Nothing is made in a folder that is not there")
    func missing() {
        #expect(throws: MediaFailure.self) { try PartialFile(for: folder.path("no/call.mkv")) }
    }
}
