import Basics
import Foundation
import GLibKit
import Testing
import UserStore

@Suite("Private folder", .timeLimit(.minutes(4)))
@DiskActor
struct PrivateFolderTests {
    @Test("Only the user can access a folder and its files")
    func modes() async throws {
        try await withFolder { folder in
            try folder.folder("inner").write([1, 2], to: "a")
            #expect(FileStatus(path: folder.path)?.permissions == 0o700)
            #expect(FileStatus(path: folder.path("inner"))?.permissions == 0o700)
            #expect(FileStatus(path: folder.path("inner/a"))?.permissions == 0o600)
            #expect(try folder.folder("inner").read("a") == [1, 2])
        }
    }

    @Test("An existing file is replaced atomically: readers see its old or its new content")
    func replacement() async throws {
        try await withFolder { folder in
            let contents = [[UInt8](repeating: 1, count: 50_000), [UInt8](repeating: 2, count: 60_000)]
            try folder.write(contents[0], to: "a")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await DiskThread().run {
                        for number in 1...100 { try folder.write(contents[number % 2], to: "a") }
                    }
                }
                group.addTask {
                    try await DiskThread().run {
                        for _ in 1...100 {
                            let content = try folder.read("a")
                            #expect(content == contents[0] || content == contents[1])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(folder.names == ["a"])
        }
    }

    @Test("A file above the limit is refused when it is read")
    func limit() async throws {
        try await withFolder { folder in
            try folder.write([UInt8](repeating: 1, count: 11), to: "a")
            #expect(try folder.read("a", limit: 11)?.count == 11)
            #expect(throws: StoreFailure.self) { try folder.read("a", limit: 10) }
        }
    }

    @Test("A symbolic link is replaced, and its target stays unchanged")
    func link() async throws {
        try await withFolder { folder in
            try folder.write([1], to: "target")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("a"),
                withDestinationPath: folder.path("target")
            )
            try folder.write([2], to: "a")
            #expect(try folder.read("target") == [1] && folder.read("a") == [2])
        }
    }

    @Test("Removing a file also removes its partial copies")
    func removal() async throws {
        try await withFolder { folder in
            try folder.write([1], to: "a")
            try folder.write([1], to: ".a.99")
            try folder.remove("a")
            try folder.remove("a")
            #expect(folder.names.isEmpty)
        }
    }

    @Test("The lock of a folder can be acquired again although a process that is being started shares it")
    func sharedLock() async throws {
        try await withFolder { folder in
            let lock = try FolderLock(folder)
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            let name = descriptors.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                    == folder.path
            }
            // Like a forked process, a duplicate shares the lock.
            let shared = dup(try #require(name.flatMap { Int32($0) }))
            defer { close(shared) }
            _ = consume lock
            let isFree = try FolderLock(trying: folder) != nil
            #expect(isFree)
        }
    }

    @Test("The lock of a folder is held by only one task at a time")
    func lock() async throws {
        try await withFolder { folder in
            try folder.write(Array("0".utf8), to: "count")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...4 {
                    group.addTask {
                        try await DiskThread().run {
                            for _ in 1...50 {
                                let lock = try FolderLock(folder)
                                let text = String(decoding: try folder.read("count") ?? [], as: UTF8.self)
                                try folder.write(Array("\((Int(text) ?? 0) + 1)".utf8), to: "count")
                                _ = consume lock
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try folder.read("count") == Array("200".utf8))
        }
    }

    @Test("The folders follow the environment variables, and relative paths are ignored")
    func environment() {
        #expect(PrivateFolder.configuration(["HOME": "/h"])?.path == "/h/.config/callrunner")
        #expect(PrivateFolder.cache(["HOME": "/h"])?.path == "/h/.cache/callrunner")
        let both = ["HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "relative"]
        #expect(PrivateFolder.configuration(both)?.path == "/c/callrunner")
        #expect(PrivateFolder.cache(both)?.path == "/h/.cache/callrunner")
        #expect(PrivateFolder.configuration([:]) == nil && PrivateFolder.cache(["HOME": "h"]) == nil)
    }
}
