import GLibKit

/// A web server in this process, which only this process reaches.
enum LocalServer {
    /// Returns the bytes that the server sends after the head of a request; nil to send none.
    typealias Answer = @Sendable (_ head: String) -> [UInt8]?

    /// A response with the right length, unless another one is given.
    static func response(
        _ body: String,
        status: Int = 200,
        _ fields: String = "",
        length: Int? = nil
    ) -> [UInt8] {
        let length = length ?? body.utf8.count
        return Array("HTTP/1.1 \(status) X\r\n\(fields)Content-Length: \(length)\r\n\r\n\(body)".utf8)
    }

    static func response(_ body: [UInt8]) -> [UInt8] {
        Array("HTTP/1.1 200 X\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }

    /// The path that the head of a request names.
    static func path(of head: String) -> String {
        head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }

    /// The URL of the server, as the head of a request names it.
    static func url(in head: String) -> String {
        let host = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("host: ") } ?? ""
        return "http://\(host.dropFirst(6))"
    }

    /// Answers requests until `body`, which gets the URL of the server, returns.
    static func run(_ answer: @escaping Answer, _ body: (String) async throws -> Void) async throws {
        let server = try await LoopbackListener(.ipv4)
        let url = "http://127.0.0.1:\(await server.port)"
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                await withDiscardingTaskGroup { connections in
                    while let stream = try? await server.accept() {
                        connections.addTask { await Self.serve(stream, answer) }
                    }
                    connections.cancelAll()
                }
            }
            try await body(url)
            group.cancelAll()
        }
    }

    private static func serve(_ stream: NetworkStream, _ answer: Answer) async {
        var head = ""
        while !head.hasSuffix("\r\n\r\n"), let part = try? await stream.read(), !part.isEmpty {
            head += String(decoding: part, as: UTF8.self)
        }
        let bytes = answer(head) ?? []
        try? await stream.write(bytes)
        // After an incomplete response, the server waits until the client closes the connection.
        if bytes.isEmpty || bytes.last == UInt8(ascii: "#") { _ = try? await stream.read() }
        await stream.close()
    }
}
