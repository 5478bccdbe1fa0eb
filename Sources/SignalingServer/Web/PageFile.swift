internal import Crypto
internal import NIOCore

/// A file of the web page with its media type and entity tag.
struct PageFile: Sendable {
    let type: String
    let body: ByteBuffer
    /// A strong entity tag (RFC 9110 §8.8.3): equal only for equal bytes.
    let entityTag: String

    init(name: String, bytes: [UInt8]) {
        type = Self.type(of: name)
        body = ByteBuffer(bytes: bytes)
        let digest = SHA256.hash(data: bytes).prefix(16)
        entityTag = "\"" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }

    /// Returns the media type for a file name; the `nosniff` header prevents browsers from guessing another
    /// one.
    private static func type(of name: String) -> String {
        switch name.split(separator: ".", omittingEmptySubsequences: false).last?.lowercased() {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json", "map": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "mp3": "audio/mpeg"
        case "wav": "audio/wav"
        case "mp4": "video/mp4"
        case "txt", "md": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
