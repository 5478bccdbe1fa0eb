import Glibc
import Testing

@testable import callrunner

/// A pipe that replaces a standard stream.
final class WrittenPipe: Sendable {
    let stream: StandardStream
    private let reader: Int32
    private let writer: Int32

    init() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (reader, writer) = (ends[0], ends[1])
        stream = StandardStream(writer, threadName: "test-stream")
    }

    func closeReader() { close(reader) }

    func makeNonBlocking() { _ = fcntl(writer, F_SETFL, fcntl(writer, F_GETFL) | O_NONBLOCK) }

    /// Closes both ends and returns the written text that has not been read.
    func end() -> String {
        close(writer)
        defer { close(reader) }
        return read()
    }

    /// Reads text until the writing end is closed.
    func read() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(reader, &buffer, buffer.count), count > 0 {
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    func closeWriter() { close(writer) }
}
