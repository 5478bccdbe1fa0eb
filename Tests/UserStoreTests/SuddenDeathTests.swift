import CGLib
import Foundation
import GLibKit
import GLibTesting
import Testing
import UserStore

@Suite("Store of a process that is killed", .timeLimit(.minutes(2)))
@DiskActor
struct SuddenDeathTests {
    /// Starts the writer, waits for its first changes and kills it in the midst of further ones.
    private func killWriter(of folder: PrivateFolder, after changes: Int) throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "StoreWriter").path
        let writer = try startProcess([program, folder.path], [G_SUBPROCESS_FLAGS_STDOUT_PIPE])
        defer {
            g_subprocess_force_exit(writer.opaque)
            g_subprocess_wait(writer.opaque, nil, nil)
        }
        var lines = 0
        var bytes = [UInt8](repeating: 0, count: 4096)
        while lines < changes {
            let output = g_subprocess_get_stdout_pipe(writer.opaque)
            let count = g_input_stream_read(output, &bytes, gsize(bytes.count), nil, nil)
            try #require(count > 0, "the writer has ended")
            lines += bytes[..<count].count { $0 == UInt8(ascii: "\n") }
        }
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
