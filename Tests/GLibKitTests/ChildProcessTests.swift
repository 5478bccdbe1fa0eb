import GLibKit
import Testing

@Suite("Child processes", .timeLimit(.minutes(4)))
@LoopActor struct ChildProcessTests {
    private func start(_ words: String...) throws -> ChildProcess {
        try ChildProcess(words, taking: [])
    }

    private func output(of process: ChildProcess) async throws -> String {
        var text: [UInt8] = []
        while case let bytes = try await process.read(), !bytes.isEmpty { text += bytes }
        return String(decoding: text, as: UTF8.self)
    }

    @Test("A process receives the written input, and its output and exit code are returned")
    func pipes() async throws {
        let process = try start("/bin/sh", "-c", "cat; exit 7")
        try await process.write(Array("one\n".utf8))
        #expect(try await process.read() == Array("one\n".utf8))
        try await process.write(Array("two\n".utf8))
        process.closeInput()
        let rest = try await output(of: process)
        #expect(rest == "two\n")
        let end = try await process.end()
        #expect(end == .exited(7))
    }

    @Test("A killed process reports the signal")
    func killing() async throws {
        let process = try start("/bin/sleep", "100")
        #expect(process.isRunning)
        process.kill()
        let end = try await process.end()
        #expect(end == .signaled(9))
        #expect(!process.isRunning)
    }

    @Test("Starting a program that does not exist throws an error")
    func missing() {
        #expect(throws: GLibError.self) { try start("/nonexistent/program") }
    }

    @Test("A child process can write to shared memory, and cannot change its size")
    func memory() async throws {
        let memory = try SharedMemory(size: 4096)
        let script = """
            printf hello >&3
            for size in 1 8192; do truncate -s $size /proc/self/fd/3 2>/dev/null && echo $size; done
            truncate -s 4096 /proc/self/fd/3 && echo kept; exec 3>&-; cat
            """
        let process = try ChildProcess(["/bin/sh", "-c", script], taking: [memory.duplicate()])
        let answer = try await process.read()
        #expect(answer == Array("kept\n".utf8))
        #expect(memory.bytes.prefix(5).elementsEqual("hello".utf8))
        process.closeInput()
        let end = try await process.end()
        #expect(end == .exited(0))
    }

    @Test("Bytes that a process writes to a pipe arrive in order; the pipe ends with the process")
    func pipe() async throws {
        let (reader, writer) = try PipeReader.pipe()
        let memory = try SharedMemory(size: 4096)
        let process = try ChildProcess(
            ["/bin/sh", "-c", "printf abc >&4; read line; printf d >&4"],
            taking: [memory.duplicate(), writer]
        )
        let (bytes, byte) = AsyncStream.makeStream(of: UInt8.self)
        let end = reader.start(threadName: "test") { for one in $0 { byte.yield(one) } }
        var received: [UInt8] = []
        for await byte in bytes.prefix(3) { received.append(byte) }
        #expect(received == Array("abc".utf8))
        process.closeInput()
        for await _ in end {}
        byte.finish()
        for await byte in bytes { received.append(byte) }
        #expect(received == Array("abcd".utf8))
        _ = try await process.end()
    }
}
