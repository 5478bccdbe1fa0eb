import GLibKit
import SoupKit
import Testing

@Suite("Responses without an end", .timeLimit(.minutes(4)))
struct EndlessResponseTests {
    enum Kind: CaseIterable {
        case interimResponses, trailerFields

        /// The start of the response.
        var start: String {
            switch self {
            case .interimResponses: ""
            case .trailerFields: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
            }
        }

        /// The part that follows again and again.
        var others: String {
            switch self {
            case .interimResponses: "HTTP/1.1 100 \r\n\r\n"
            case .trailerFields: "a: b\r\n"
            }
        }
    }

    @Test(
        "A response with unlimited interim responses or trailers is aborted, even on a reused connection",
        arguments: Kind.allCases,
        [false, true]
    )
    func brokenOff(_ kind: Kind, isUsed: Bool) async throws {
        let listener = try await LoopbackListener(.ipv4)
        let request = HTTPRequest("http://127.0.0.1:\(await listener.port)")
        let client = HTTPClient()
        let brokenOff = AsyncStream.makeStream(of: Void.self)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                var isFirst = isUsed
                // libsoup may send a request again if a used connection breaks.
                while let stream = try? await listener.accept() {
                    if isFirst { await Self.answer(stream) }
                    isFirst = false
                    await Self.flood(stream, kind)
                    brokenOff.continuation.yield()
                }
            }
            if isUsed { _ = try await client.send(request) }
            switch kind {
            case .interimResponses:
                await #expect(throws: HTTPFailure.tooLarge(limit: 512 << 10)) {
                    try await client.send(request)
                }
            case .trailerFields:
                // The body is complete.
                #expect(try await client.send(request).body == Array("a".utf8))
            }
            for await _ in brokenOff.stream { break }
            group.cancelAll()
        }
    }

    @LoopActor
    private static func answer(_ stream: NetworkStream) async {
        _ = try? await stream.read()
        _ = try? await stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
    }

    /// Answers one request until the client breaks the connection off.
    @LoopActor
    private static func flood(_ stream: NetworkStream, _ kind: Kind) async {
        _ = try? await stream.read()
        let part = Array(String(repeating: kind.others, count: 1000).utf8)
        do {
            try await stream.write(Array(kind.start.utf8))
            while true { try await stream.write(part) }
        } catch {
            stream.close()
        }
    }
}
