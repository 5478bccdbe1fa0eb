import Foundation
import GLibKit
import Testing
import UserStore

@Suite("Store of a process that is killed", .timeLimit(.minutes(2)))
@DiskActor
struct SuddenDeathTests {
    /// Starts the writer, waits for its first changes and kills it in the midst of further ones.
    ///
    /// Foundation's `Process` would list the open files of this program, and sometimes read beyond the list,
    /// which ends the program (`findMaximumOpenFromProcSelfFD` of Swift 6.3).
    private func killWriter(of folder: PrivateFolder, after changes: Int) throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "StoreWriter").path
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var arguments = [strdup(program), strdup(folder.path), nil]
        defer { for argument in arguments { free(argument) } }
        var writer: pid_t = 0
        let failure = posix_spawn(&writer, program, &actions, nil, &arguments, nil)
        close(ends[1])
        try #require(failure == 0)
        defer {
            kill(writer, SIGKILL)
            waitpid(writer, nil, 0)
        }
        var lines = 0
        var bytes = [UInt8](repeating: 0, count: 4096)
        while lines < changes {
            let count = read(ends[0], &bytes, bytes.count)
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
