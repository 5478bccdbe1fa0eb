internal import GLibKit
internal import SoupKit

/// A response of the gateway, after which its connection is closed.
@LoopActor
final class GatewayResponse {
    /// The error thrown if the demuxer has closed the connection, or if the gateway has been closed.
    struct Unwanted: Error {}

    private let stream: NetworkStream
    private(set) var hasBegun = false
    /// The HTTP status to send if the request fails before the response has begun.
    ///
    /// The demuxer interprets a status of 500 or above as the end of a file.
    var status = 404

    init(on stream: NetworkStream) { self.stream = stream }

    /// Sends the head of the server's response; the body follows in parts.
    ///
    /// - Throws: `Unwanted`, like the other methods.
    func begin(_ received: HTTPResponse) async throws(Unwanted) {
        hasBegun = true
        try await send(Self.head(received))
    }

    /// Sends a part of the body.
    func write(_ part: [UInt8]) async throws(Unwanted) { try await send(part) }

    /// Sends a complete response: the content, with the status, type and range of the server's response.
    func send(_ body: [UInt8], like received: HTTPResponse) async throws(Unwanted) {
        hasBegun = true
        try await send(Self.head(received, "Content-Length: \(body.count)\r\n") + body)
    }

    /// Sends an error if the response has not begun; otherwise resets the connection, so that the demuxer repeats the
    /// request.
    func fail() async {
        guard !hasBegun else { return stream.reset() }
        hasBegun = true
        let head = "HTTP/1.1 \(status) Failed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        try? await send(Array(head.utf8))
    }

    private func send(_ bytes: [UInt8]) async throws(Unwanted) {
        do { try await stream.write(bytes) } catch { throw Unwanted() }
    }

    private static func head(_ received: HTTPResponse, _ length: String = "") -> [UInt8] {
        var head = "HTTP/1.1 \(received.status) OK\r\nConnection: close\r\n\(length)"
        for name in ["Content-Type", "Content-Range"] {
            if let value = received.headers[name] { head += "\(name): \(value)\r\n" }
        }
        return Array("\(head)\r\n".utf8)
    }
}
