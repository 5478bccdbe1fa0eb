internal import Basics
internal import FoundationEssentials
internal import GLibKit
internal import LiveCore
internal import SoupKit

/// A server in this process that loads the playlists and segments of a stream for GStreamer's demuxer.
///
/// The demuxer of GStreamer 1.22 corrupts memory if a request for a playlist or a key fails without a response: the
/// thread that waits for the request frees it while the thread that sent it still unlocks it. The demuxer also waits
/// for at most ten seconds, and terminates the process if a playlist is empty. Therefore, the gateway always responds
/// in time, and never with an empty playlist. It also limits the size of responses, and records why a request failed.
@LoopActor
final class StreamGateway {
    /// The maximum length in bytes of a playlist's URL, against which the addresses in the playlist are resolved.
    private nonisolated static let longestURL = 8192
    /// The maximum size in bytes of a body that is sent only when it is complete, such as a key.
    private static let smallBody = 64 << 10
    /// The number of bytes by which a playlist is recognized: a byte order mark and `#EXTM3U`.
    private static let tagLength = 10
    /// The maximum number of concurrent connections to a server: for playlists, and for segments of video, audio and
    /// subtitles.
    private static let connections = 6
    /// The pause after a failure to accept a connection.
    private static let pause = Duration.milliseconds(100)

    private struct Refusal {
        var url: String
        var failure: LiveFailure
        let time = ContinuousClock.now
    }

    /// The outcome of a request.
    private enum Outcome: Sendable {
        /// The response is still to be sent, with this body and this head.
        case whole([UInt8], HTTPResponse)
        /// The response is complete, or the demuxer no longer waits for it.
        case done
        /// The request failed; the failure is still to be reported to the demuxer.
        case failed
    }

    /// The time for which the failure of a request is considered to be the cause of an error of the stream.
    private static let memory = Duration.seconds(15)

    /// The time limit for the first byte of a response.
    private let limit: Duration
    /// The maximum size of a segment in bytes.
    private let maximumSegment: Int
    /// The listener for playlists, and for addresses in the tags of playlists, such as those of keys.
    private let listener: LoopbackListener
    /// The listener for segments, so that a playlist does not wait for them: the demuxer has at most two connections to
    /// each port.
    private let segmentListener: LoopbackListener
    private let client: HTTPClient
    private let isClosing = StateStore(false)
    private let open = StateStore(0)
    private var refusal: Refusal?
    /// The URL of the playlist that is played; nil if it is not known yet.
    private var playlist: String?

    /// Starts to listen on the loopback interface; only this process can connect.
    ///
    /// The default limit for a segment is enough for ten seconds of video at 200 Mbit/s.
    ///
    /// - Throws: `GLibError`.
    init(limit: Duration = .seconds(7), maximumSegment: Int = 256 << 20) throws {
        (self.limit, self.maximumSegment) = (limit, maximumSegment)
        (listener, segmentListener) = (try LoopbackListener(.ipv4), try LoopbackListener(.ipv4))
        client = HTTPClient(idleLimit: limit, connections: Self.connections, keepsCookies: true)
    }

    /// The reason why a request failed in the last 15 seconds; nil if there is none, or if the same request has
    /// succeeded since.
    var failure: LiveFailure? {
        refusal.flatMap { $0.time.duration(to: .now) < Self.memory ? $0.failure : nil }
    }

    /// Returns the address at which the gateway serves the playlist to play.
    ///
    /// If the playlist's URL later returns anything else, the response is rejected, because the demuxer would receive
    /// it unmodified.
    func offer(_ playlist: String) -> String {
        self.playlist = playlist
        return address(of: playlist)
    }

    /// Returns the address at which the gateway serves the content of a URL.
    func address(of url: String) -> String { Self.address(of: url, port: listener.port) }

    private nonisolated static func address(of url: String, port: Int) -> String {
        "http://127.0.0.1:\(port)\(GatewayRequest.path(of: url))"
    }

    /// Answers requests until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.serve(self.listener, wholeUpTo: Self.smallBody) }
            group.addTask { await self.serve(self.segmentListener, wholeUpTo: Self.tagLength) }
        }
        client.close()
    }

    /// Answers the requests at one of the ports; a body of at most `size` bytes is sent only when it is complete.
    private func serve(_ listener: LoopbackListener, wholeUpTo size: Int) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do {
                    let stream = try await listener.accept()
                    open.update { $0 += 1 }
                    group.addTask {
                        await self.answer(stream, wholeUpTo: size)
                        self.open.update { $0 -= 1 }
                    }
                } catch {
                    try? await Task.sleep(for: Self.pause)
                }
            }
            group.cancelAll()
        }
    }

    /// Ends all requests with a response, so that the demuxer can be closed.
    func finish() async {
        isClosing.update { $0 = true }
        for await count in open.states where count == 0 { return }
    }

    // MARK: Requests

    private func answer(_ stream: NetworkStream, wholeUpTo size: Int) async {
        let response = GatewayResponse(on: stream)
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await self.interruption() }
            group.addTask {
                guard let request = await Self.request(on: stream) else { return .failed }
                return await self.outcome(of: request, response, stream, wholeUpTo: size)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failed
        }
        switch outcome {
        case .whole(let body, let head):
            // A demuxer that does not read must not hold up the end of the gateway.
            _ = try? await withDeadline(limit) { try await response.send(body, like: head) }
        case .done: break
        case .failed: await response.fail()
        }
        stream.close()
    }

    /// Waits until the gateway is closed.
    private func interruption() async -> Outcome {
        for await isClosing in isClosing.states where isClosing { break }
        return .failed
    }

    /// Forwards a request and returns the outcome; ends early if no response begins within `limit`, or if the demuxer
    /// closes the connection.
    private func outcome(
        of request: GatewayRequest,
        _ response: GatewayResponse,
        _ stream: NetworkStream,
        wholeUpTo size: Int
    ) async -> Outcome {
        await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.forward(request, response, wholeUpTo: size) }
            group.addTask {
                _ = try? await stream.read()
                return .done
            }
            group.addTask {
                guard (try? await Task.sleep(for: self.limit)) != nil, await !response.hasBegun else {
                    return nil
                }
                let limit = DurationText(self.limit)
                let failure = LiveFailure(.timedOut, "the server has sent too little within \(limit)")
                await self.refuse(request, failure)
                return .failed
            }
            defer { group.cancelAll() }
            for await outcome in group { if let outcome { return outcome } }
            return .failed
        }
    }

    /// Reads the head of a request; nil if it is too long or not a valid request to the gateway.
    private static func request(on stream: NetworkStream) async -> GatewayRequest? {
        var bytes: [UInt8] = []
        while bytes.count <= GatewayRequest.maximumLength {
            guard let part = try? await stream.read(), !part.isEmpty else { return nil }
            bytes += part
            if bytes.suffix(4) == Array("\r\n\r\n".utf8)[...] {
                return String(validating: bytes, as: UTF8.self).flatMap { GatewayRequest($0) }
            }
        }
        return nil
    }

    /// Forwards a request to the server; passes a long body on in parts, and replaces the addresses in a playlist by
    /// addresses of the gateway.
    private func forward(
        _ request: GatewayRequest,
        _ response: GatewayResponse,
        wholeUpTo size: Int
    ) async -> Outcome {
        var upstream = HTTPRequest(request.url, limit: maximumSegment)
        upstream.followsRedirects = true
        upstream.acceptsCompression = request.acceptsCompression
        let fields = [
            ("Range", request.range), ("Cache-Control", request.cacheControl), ("Referer", request.referer),
        ]
        for (name, value) in fields { if let value { upstream.headers.add(name, value) } }
        do {
            var (head, held) = (HTTPResponse(status: 502, body: []), [UInt8]())
            try await client.pass(upstream) { received in
                head = received
                if let from = URL(string: request.url), let to = URL(string: head.url),
                    GatewayRequest.isNarrower(to, than: from)
                {
                    throw LiveFailure(.redirected, "the server redirects into a network of this computer")
                }
                guard let failure = LiveFailure(status: head.status) else { return }
                if (400...499).contains(head.status) { response.status = head.status }
                throw failure
            } onPart: { part in
                guard !response.hasBegun else { return try await response.write(part) }
                held += part
                if held.count >= Self.tagLength, MediaPlaylist.matches(held) {
                    guard held.count <= MediaPlaylist.maximumLength else { throw PlaylistError.tooLarge }
                } else if held.count > size {
                    guard request.url != playlist else { throw PlaylistError.notAPlaylist }
                    try await response.begin(head)
                    try await response.write(held)
                    held = []
                }
            }
            guard response.hasBegun || !held.isEmpty else {
                throw LiveFailure(.serverFailed, "the server has sent nothing")
            }
            let isPlaylist = MediaPlaylist.matches(held)
            guard isPlaylist || request.url != playlist else { throw PlaylistError.notAPlaylist }
            let body = isPlaylist ? try await rewritten(held, from: head.url) : held
            if refusal?.url == request.url { refusal = nil }
            return response.hasBegun ? .done : .whole(body, head)
        } catch {
            if let failure = Self.failure(error) { refuse(request, failure) }
            return .failed
        }
    }

    private func refuse(_ request: GatewayRequest, _ failure: LiveFailure) {
        // Any other failure may be temporary, but content that is too large remains so.
        let isLasting = failure.reason == .tooLarge
        let message = "a part of the stream could not be loaded: \(failure.message)"
        refusal = Refusal(
            url: request.url,
            failure: LiveFailure(isLasting ? .tooLarge : .unreachable, message)
        )
    }

    /// Converts the error of a request; nil if the demuxer has cancelled the request, or if the gateway is closed.
    private static func failure(_ error: any Error) -> LiveFailure? {
        switch error {
        case let failure as LiveFailure: failure
        case let error as PlaylistError: error.failure
        case let failure as HTTPFailure: LiveFailure(failure)
        default: nil
        }
    }

    // MARK: Playlists

    private func rewritten(_ playlist: [UInt8], from url: String) async throws -> [UInt8] {
        try await Self.rewritten(playlist, from: url, listener.port, segments: segmentListener.port)
    }

    /// Replaces the addresses in a playlist; runs outside the GLib loop, which a long playlist would block.
    @concurrent
    private nonisolated static func rewritten(
        _ playlist: [UInt8],
        from url: String,
        _ port: Int,
        segments: Int
    ) async throws -> [UInt8] {
        guard let text = String(validating: playlist, as: UTF8.self)?.streamSafe else {
            throw PlaylistError.notAPlaylist
        }
        // Each address is resolved against it.
        guard url.utf8.count <= Self.longestURL else { throw PlaylistError.tooLarge }
        let base = URL(string: url)
        let listsVariants = MultivariantPlaylist.matches(text)
        let changed = try PlaylistAddresses.replace(in: text) { address, isInTag in
            let isSegment = !listsVariants && !isInTag
            let url = GatewayRequest.resolve(address, against: base)
            return Self.address(of: url, port: isSegment ? segments : port)
        }
        return Array(try ReadablePlaylist.text(of: changed).utf8)
    }
}
