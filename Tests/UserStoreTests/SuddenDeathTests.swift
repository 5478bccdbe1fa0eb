import Foundation
import GLibKit
import Testing
import UserStore

@Suite("Store of a process that is killed", .timeLimit(.minutes(2)))
@DiskActor
struct SuddenDeathTests {
    /// Starts the writer, waits for its first changes and kills it in the midst of further ones.
    private func killWriter(of folder: PrivateFolder, after changes: Int) throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "StoreWriter")
        let writer = Process()
        let output = Pipe()
        writer.executableURL = program
        writer.arguments = [folder.path]
        writer.standardOutput = output
        try writer.run()
        var lines = 0
        while lines < changes {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "the writer has ended")
            lines += data.count { $0 == UInt8(ascii: "\n") }
        }
        kill(writer.processIdentifier, SIGKILL)
        writer.waitUntilExit()
    }

    @Test("After kill -9 during a write, each file is complete and only the user can read it")
    func kills() async throws {
        try await withFolder { folder in
            for kill in 0..<200 {
                try killWriter(of: folder, after: 1 + kill % 7)
                let profile = try #require(try folder.read("profile"))
                #expect(profile.count == 40_000 && Set(profile).count == 1)
                let secrets = String(decoding: try folder.read("secrets.json") ?? [], as: UTF8.self)
                #expect(secrets.wholeMatch(of: /\{"token":"secret-[0-9]+"\}\n/) != nil, "\(secrets)")
                let cache = folder.folder("cache")
                for (path, name) in folder.names.map({ (folder.path($0), $0) })
                    + cache.names.map({ (cache.path($0), $0) }) where name != "cache"
                {
                    #expect(FileStatus(path: path)?.permissions == 0o600, "\(name)")
                }
            }
        }
    }

    @Test("A lock ends with the process that holds it")
    func lock() async throws {
        try await withFolder { folder in
            try killWriter(of: folder, after: 3)
            let lock = try FolderLock(folder)
            _ = consume lock
        }
    }
}
