internal import NIOCore
@testable internal import FrontParsers

/// The fuzz target for the parsers of the HTTP front: WebSocket frames, hosts, origins, request targets
/// and ranges.
package enum ParsersTarget {
    private static let maximumLength = 1000

    package static func take(_ input: UnsafeRawBufferPointer) {
        guard let selector = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch selector % 5 {
        case 0: readFrames(bytes)
        case 1: readHost(String(decoding: bytes, as: UTF8.self))
        case 2: readOrigin(String(decoding: bytes, as: UTF8.self))
        case 3: readTarget(String(decoding: bytes, as: UTF8.self))
        default: readRange(bytes)
        }
    }

    /// Parses the frames at once and byte by byte, which must yield the same events.
    private static func readFrames(_ bytes: [UInt8]) {
        let whole = events(of: [bytes[...]])
        let single = events(of: bytes.indices.map { bytes[$0...$0] })
        precondition(whole == single, "the frames are parsed differently in pieces")
    }

    private static func events(of pieces: [ArraySlice<UInt8>]) -> [String] {
        var parser = WebSocketFrameParser(maximumLength: maximumLength)
        var events: [String] = []
        do throws(WebSocketViolation) {
            for piece in pieces {
                parser.append(ByteBuffer(bytes: piece))
                while let event = try parser.next() {
                    events.append(text(event))
                }
            }
        } catch {
            events.append("\(error)")
        }
        return events
    }

    private static func text(_ event: WebSocketFrameParser.Event) -> String {
        switch event {
        case .message(let message):
            precondition(message.payload.readableBytes <= maximumLength, "a message is too long")
            return "\(message.isText) \(Array(message.payload.readableBytesView))"
        case .fragment: return "fragment"
        case .ping(let data): return "ping \(Array(data.readableBytesView))"
        case .pong: return "pong"
        case .close(let code): return "close \(code)"
        }
    }

    private static func readHost(_ text: String) {
        guard let host = RequestHost(text) else { return }
        let port = host.port.map { ":\($0)" } ?? ""
        precondition(RequestHost(host.name + port) == host, "\(text) is read as another host")
    }

    private static func readOrigin(_ text: String) {
        guard let origin = WebOrigin(text) else { return }
        let port = origin.port.map { ":\($0)" } ?? ""
        let again = WebOrigin("\(origin.scheme)://\(origin.host.name)\(port)")
        precondition(again == origin, "\(text) is read as another origin")
    }

    private static func readTarget(_ text: String) {
        let target = RequestTarget(text)
        // A character can consist of a question mark and a combining mark, but the path ends at the byte.
        let path = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        precondition(target.path.utf8.elementsEqual(path), "the path of \(text) is \(target.path)")
        precondition(target.decodedPath.utf8.count <= 3 * text.utf8.count, "\(text) grows when it is decoded")
    }

    /// Reads a range of a file whose length is in the first byte.
    private static func readRange(_ bytes: [UInt8]) {
        guard let length = bytes.first.map(Int.init) else { return }
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        guard case .part(let part) = ByteRange(text, length: length) else { return }
        precondition((0..<length).contains(part.lowerBound), "\(text) begins outside of the file")
        precondition((0..<length).contains(part.upperBound), "\(text) ends outside of the file")
        _ = EntityTag.matches(text, [text])
    }
}
