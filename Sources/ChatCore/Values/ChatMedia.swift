package import Basics

/// A file of a message, stored on the server.
package struct ChatMedia: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case picture, audio, video, file
    }

    package var id: String
    /// The path on the server, such as `/api/media/ID`.
    package var url: String
    /// The media type (RFC 6838), determined from the first bytes of the file.
    package var type: String
    package var bytes: Int
    /// The width in pixels; nil if it is unknown or not applicable.
    package var width: Int?
    package var height: Int?
    /// The duration in seconds; nil if it is unknown or not applicable.
    package var duration: Double?

    /// The maximum file size that is accepted from a server, in bytes: a pebibyte.
    private static let largest = 1 << 50

    package init(id: String, url: String, type: String, bytes: Int) {
        (self.id, self.url, self.type, self.bytes) = (id, url, type, bytes)
    }

    package var kind: Kind {
        switch type.prefix(while: { $0 != "/" }) {
        case "image": .picture
        case "audio": .audio
        case "video": .video
        default: .file
        }
    }

    /// The JSON object in the answer to `POST /api/media` and in a message's `media` member.
    package var json: JSON {
        [
            "id": .string(id), "url": .string(url), "type": .string(type), "bytes": .int(bytes),
            "width": width.map { .int($0) } ?? .null, "height": height.map { .int($0) } ?? .null,
            "duration": duration.map { .number($0) } ?? .null,
        ]
    }

    /// Parses the media of a message; unknown members are ignored.
    ///
    /// - Throws: `ChatError.decodingFailed`.
    package init(_ json: JSON) throws(ChatError) {
        guard let id = json["id"]?.stringValue, ChatLimits.isMediaID(id) else { throw .decodingFailed("id") }
        guard let url = json["url"]?.stringValue, url.utf8.count <= ChatLimits.longestURL else {
            throw .decodingFailed("url")
        }
        guard let type = json["type"]?.stringValue, type.utf8.count <= ChatLimits.longestURL else {
            throw .decodingFailed("type")
        }
        guard let bytes = json["bytes"]?.intValue, (0...Self.largest).contains(bytes) else {
            throw .decodingFailed("bytes")
        }
        self.init(id: id, url: url, type: type, bytes: bytes)
        let sizes = 1...1_000_000
        width = json["width"]?.intValue.flatMap { sizes.contains($0) ? $0 : nil }
        height = json["height"]?.intValue.flatMap { sizes.contains($0) ? $0 : nil }
        duration = json["duration"]?.doubleValue.flatMap { (0...1e7).contains($0) ? $0 : nil }
    }
}
