import Basics
import CallCore
import Foundation
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Files that are renamed when complete")
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

    @Test("A partial file is private until it replaces a file, and then has the permissions of that file")
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

    @Test("Two partial files for one destination are independent")
    func two() throws {
        let path = folder.path("call.mkv")
        let (one, other) = (try PartialFile(for: path), try PartialFile(for: path))
        #expect(one.path != other.path)
        one.discard()
        try other.takeName()
        #expect(try names == ["call.mkv"])
    }

    @Test("Another program's file under the temporary name is not written, moved or deleted")
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

    @Test("The file created to reserve a path is removed only if it is still the same file")
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

    @Test("No file is created in a missing folder")
    func missing() {
        #expect(throws: MediaFailure.self) { try PartialFile(for: folder.path("no/call.mkv")) }
    }

    @Test("A symbolic link is replaced, and the permissions of its target are not taken over")
    func link() throws {
        let (path, target) = (folder.path("call.mkv"), folder.path("target"))
        try Data().write(to: URL(fileURLWithPath: target))
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: target)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        try PartialFile(for: path).takeName()
        #expect(try mode(path) == 0o600)
        #expect(try mode(target) == 0o666)
    }
}
