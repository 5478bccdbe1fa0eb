internal import Basics
internal import FoundationEssentials
internal import GLibKit
internal import LiveCore
internal import MediaKit
internal import SoupKit

/// A check of a stream's address before it is played, because GStreamer's errors do not say why a server
/// refuses it.
struct AddressCheck: Sendable {
    /// The result of a check.
    struct Finding: Hashable, Sendable {
        /// The URI for GStreamer.
        var uri: String
        /// Whether the stream is live, which means that it has no end yet.
        var isLive: Bool
        /// Whether the stream is a file on this computer.
        var isLocal = false
        /// The media playlist of the stream or of its first variant; nil for a media file.
        var playlist: MediaPlaylist?
        /// The qualities of the stream; nil without a multivariant playlist.
        var variants: MultivariantPlaylist?
    }

    /// The error that stops loading when enough of a response has arrived.
    private struct Enough: Error {}

    /// The number of bytes by which the type of a file is recognized.
    private static let beginning = 512

    let client: HTTPClient

    /// Checks the address.
    ///
    /// - Throws: `LiveFailure`, or `CancellationError`.
    func check(_ address: LiveAddress) async throws -> Finding {
        switch address {
        case .file(let path):
            let uri = try Self.uri(ofFile: path)
            let file = try? Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
            guard try !Self.isPlaylist(Array(file?.prefix(Self.beginning) ?? Data())) else {
                throw LiveFailure(
                    .unsupported,
                    "\(path) is a playlist; give the URL at which a web server offers it"
                )
            }
            if let reason = await ContainerCheck.refusal(of: path) {
                throw LiveFailure(.unsupported, "\(path) is refused: \(reason)")
            }
            return Finding(uri: uri, isLive: false, isLocal: true)
        case .url(let url):
            let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
            if !path.hasSuffix(".m3u8"), !path.hasSuffix(".m3u"), let film = try await film(url) {
                return Finding(uri: film, isLive: false)
            }
            let (playlist, variants) = try await playlists(url)
            return Finding(uri: url, isLive: !playlist.isEnded, playlist: playlist, variants: variants)
        }
    }

    /// Loads a playlist and, if it is a multivariant playlist, the playlist of its first variant.
    private func playlists(_ url: String) async throws -> (MediaPlaylist, MultivariantPlaylist?) {
        let (text, place) = try await load(url)
        do {
            guard MultivariantPlaylist.matches(text) else { return (try MediaPlaylist(text), nil) }
            let variants = try MultivariantPlaylist(text)
            let variant = variants.variants.first.map {
                GatewayRequest.resolve($0.uri, against: URL(string: place))
            }
            guard let variant, !variant.isEmpty else {
                throw LiveFailure(.damaged, "the playlist names a variant whose address is invalid")
            }
            return (try MediaPlaylist(await load(variant).text), variants)
        } catch let error as PlaylistError {
            throw error.failure
        }
    }

    /// Loads a text and returns it with its URL after redirects.
    private func load(_ url: String) async throws -> (text: String, url: String) {
        var request = HTTPRequest(url, limit: MediaPlaylist.maximumLength)
        request.followsRedirects = true
        let response: HTTPResponse
        do { response = try await client.send(request) } catch let failure as HTTPFailure {
            throw LiveFailure(failure)
        }
        if let failure = LiveFailure(status: response.status) { throw failure }
        guard let text = String(validating: response.body, as: UTF8.self)?.streamSafe else {
            throw PlaylistError.notAPlaylist.failure
        }
        return (text, response.url.isEmpty ? url : response.url)
    }

    /// Loads the beginning of a file.
    ///
    /// - Returns: The file's URL after redirects; nil for a playlist.
    private func film(_ url: String) async throws -> String? {
        var request = HTTPRequest(url, limit: .max)
        request.followsRedirects = true
        var beginning: [UInt8] = []
        var place = url
        do {
            try await client.pass(request) { response in
                if let failure = LiveFailure(status: response.status) { throw failure }
                // The response's URL lacks the user and password, which GStreamer needs unless the server redirects.
                if !response.url.isEmpty, response.url != Self.withoutUser(url) { place = response.url }
            } onPart: { part in
                beginning += part
                if beginning.count >= Self.beginning { throw Enough() }
            }
        } catch let failure as HTTPFailure {
            throw LiveFailure(failure)
        } catch is Enough {}
        if try Self.isPlaylist(beginning) { return nil }
        if let end = URL(string: place), GatewayRequest.isNarrower(end, than: URL(string: url)) {
            throw LiveFailure(.redirected, "the server redirects into this computer’s own network")
        }
        return place
    }

    private static func withoutUser(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return url }
        parts.user = nil
        parts.password = nil
        return parts.string ?? url
    }

    /// Determines from the beginning of a file whether it is a playlist.
    ///
    /// - Throws: `LiveFailure` for a DASH manifest.
    private static func isPlaylist(_ beginning: [UInt8]) throws(LiveFailure) -> Bool {
        let text = String(decoding: beginning.prefix(Self.beginning), as: UTF8.self)
        guard !text.contains("<MPD") else {
            throw LiveFailure(.unsupported, "this is a DASH manifest, and only HLS is supported")
        }
        return MediaPlaylist.matches(beginning)
    }

    /// Returns the `file` URI of a path.
    ///
    /// - Throws: `LiveFailure` if the file cannot be read.
    private static func uri(ofFile path: String) throws(LiveFailure) -> String {
        guard FileManager.default.fileExists(atPath: path) else {
            throw LiveFailure(.file, "there is no file \(path)", cause: .missing)
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw LiveFailure(.file, "\(path) cannot be read", cause: .unreadable)
        }
        // Opening a pipe would block.
        let real = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let type = try? FileManager.default.attributesOfItem(atPath: real)[.type] as? FileAttributeType
        guard type == .typeRegular else {
            throw LiveFailure(.file, "\(path) is not a regular file", cause: .irregular)
        }
        return URL(filePath: path).absoluteString
    }
}

extension LiveFailure {
    /// Creates the failure for an HTTP status; nil if the status reports success.
    init?(status: Int) {
        let text = HTTPResponse.text(status: status)
        let (reason, message): (Reason, String)
        switch status {
        case 200...299: return nil
        case 404: (reason, message) = (.notLive, "the server has no such stream (\(text))")
        case 412: (reason, message) = (.notLive, "nobody publishes the stream now (\(text))")
        case 401, 403:
            (reason, message) = (.forbidden, "the server does not allow the stream to be played (\(text))")
        case 408, 425, 429:
            (reason, message) = (.serverFailed, "the server is too busy for the request (\(text))")
        case 300...399:
            (reason, message) = (.redirected, "the server's redirect cannot be followed (\(text))")
        case 500...: (reason, message) = (.serverFailed, "the server failed (\(text))")
        default: (reason, message) = (.refused, "the server refuses the request (\(text))")
        }
        self.init(reason, message, cause: .status(status))
    }

    init(_ failure: HTTPFailure) {
        switch failure {
        case .invalidRequest: self.init(.invalid, "\(failure)")
        case .refused: self.init(.unreachable, "\(failure)", cause: .connectionRefused)
        case .unreachable, .broken, .unread, .malformed: self.init(.unreachable, "\(failure)")
        case .untrusted: self.init(.untrusted, "\(failure)")
        case .status(let status): self.init(.refused, "\(failure)", cause: .status(status))
        case .redirected: self.init(.redirected, "\(failure)")
        case .tooLarge: self.init(.tooLarge, "\(failure)")
        case .timedOut: self.init(.timedOut, "\(failure)")
        case .file: self.init(.file, "\(failure)")
        }
    }
}
