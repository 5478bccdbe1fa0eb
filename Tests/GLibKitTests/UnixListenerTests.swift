import Foundation
import GLibKit
import Glibc
import Testing

@Suite("Unix sockets and descriptors", .timeLimit(.minutes(4)))
@LoopActor struct UnixListenerTests {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "unix-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Sends `text` to the socket from another process and expects an answer.
    private static func expectAnswer(at path: String, to text: String) async throws {
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(sys.argv[2].encode())
            sys.exit(0 if s.makefile().read() == "heard " + sys.argv[2] else 1)
            """
        try await run("python3", "-c", script, path, text)
    }

    @Test(
        "A client gets an answer, only the owner may connect, and closing removes the socket"
    )
    func exchange() async throws {
        let path = "\(folder)/control"
        let listener = try UnixListener(path)
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
        async let answered: Void = Self.expectAnswer(at: path, to: "hello")
        let client = try await listener.accept()
        let bytes = try await client.read()
        let answer = Array("heard ".utf8) + bytes
        #expect(client.writeNow(answer) == answer.count)
        client.close()
        try await answered
        listener.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test("The stale socket of a killed process is replaced, but not that of a running one")
    func stale() throws {
        let path = "\(folder)/control"
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isBound = withUnsafeBytes(of: &address) {
            bind(left, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count)) == 0
        }
        #expect(isBound)
        Glibc.close(left)
        let listener = try UnixListener(path)
        #expect(throws: GLibError.self) { try UnixListener(path) }
        listener.close()
        // Closing a listener does not remove another socket at the same path.
        let first = try UnixListener(path)
        unlink(path)
        let second = try UnixListener(path)
        first.close()
        #expect(FileManager.default.fileExists(atPath: path))
        second.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test("Files other than a stale socket are never replaced, and an invalid path is refused")
    func refusals() throws {
        let path = "\(folder)/file"
        try Data("keep".utf8).write(to: URL(fileURLWithPath: path))
        #expect(symlink(path, "\(folder)/link") == 0)
        for taken in [
            path, "\(folder)/link", folder, "", "a\0b", "\(folder)/no/x", "/proc/x",
            folder + String(repeating: "x", count: 108),
        ] {
            #expect(throws: GLibError.self, "\(taken)") { try UnixListener(taken) }
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "keep")
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test("A descriptor is read as bytes arrive, up to its end, and a pending read can be cancelled")
    func descriptors() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let input = DescriptorInput(ends[0])
        #expect(write(ends[1], "abc", 3) == 3)
        #expect(try await input.read() == [97, 98, 99])
        let waiting = Task { try await input.read() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        Glibc.close(ends[1])
        #expect(try await input.read() == [])
        Glibc.close(ends[0])
        let path = "\(folder)/lines"
        try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
        for (name, bytes) in [(path, "hello"), ("/dev/null", "")] {
            let descriptor = open(name, O_RDONLY)
            let file = DescriptorInput(descriptor)
            #expect(try await file.read() == Array(bytes.utf8))
            #expect(try await file.read() == [])
            Glibc.close(descriptor)
        }
        try FileManager.default.removeItem(atPath: folder)
    }
}
