internal import GLibKit
internal import SoupKit

/// A response of the gateway, which ends with its connection.
@LoopActor
final class GatewayResponse {
    private let stream: NetworkStream
    private(set) var hasBegun = false
    /// The status if the response has not begun.
    ///
    /// The demuxer takes one of 500 and above for the end of a file.
    var status = 404

    init(on stream: NetworkStream) { self.stream = stream }

    /// Sends the head of a response that was received, with its length if that is known.
    ///
    /// If less arrives, the demuxer loads a segment again.
    ///
    /// - Throws: `GLibError` or `CancellationError`, as all methods.
    func begin(_ received: HTTPResponse) async throws {
        let isPlain = received.headers["Content-Encoding"] == nil
        let length = isPlain ? received.headers["Content-Length"].flatMap { Int($0) } : nil
        try await send(received, length.map { "Content-Length: \($0)\r\n" } ?? "", [])
    }

    /// Sends a part of the body.
    func write(_ part: [UInt8]) async throws { try await stream.write(part) }

    /// Sends a whole response with the head of one that was received.
    func send(_ body: [UInt8], like received: HTTPResponse) async throws {
        try await send(received, "Content-Length: \(body.count)\r\n", body)
    }

    /// Sends a failure unless the response has begun; in that case, it ends early.
    func fail() async {
        guard !hasBegun else { return }
        hasBegun = true
        let head = "HTTP/1.1 \(status) Failed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        try? await stream.write(Array(head.utf8))
    }

    private func send(_ received: HTTPResponse, _ length: String, _ body: [UInt8]) async throws {
        hasBegun = true
        var head = "HTTP/1.1 \(received.status) OK\r\nConnection: close\r\n\(length)"
        for name in ["Content-Type", "Content-Range"] {
            if let value = received.headers[name] { head += "\(name): \(value)\r\n" }
        }
        try await stream.write(Array("\(head)\r\n".utf8) + body)
    }
}
