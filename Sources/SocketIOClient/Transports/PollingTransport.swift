internal import Basics
internal import GLibKit
internal import SocketIO
internal import SoupKit

/// Engine.IO over HTTP long polling, on libsoup.
///
/// The server delays its response to a GET until it has packets to send. Meanwhile, the client sends its own
/// packets in POST requests, one at a time.
@LoopActor
final class PollingTransport: Transport {
    private enum Phase {
        case opening, open
        /// No further GET starts; requests in progress are completed, and queued packets are sent.
        case pausing
        case paused
        /// Queued packets are sent, then the transport ends.
        case closing
    }

    /// The maximum number of packets in one body; python-engineio accepts no more.
    private nonisolated static let packetLimit = 16

    /// The maximum number of unsent packets, and their maximum total size in bytes.
    private nonisolated static let outboxLimit = 1024
    private nonisolated static let outboxSize = 8 << 20

    nonisolated let name = TransportName.polling
    nonisolated var events: BoundedQueue<TransportEvent> { inbox.events }

    private nonisolated let inbox: TransportInbox
    private let endpoint: SocketEndpoint
    private let settings: HTTPSessionSettings
    private let maximumPayload: Int
    /// Each element starts the next GET or POST; at most one element is buffered.
    private let getSignals: AsyncStream<Void>, getSink: AsyncStream<Void>.Continuation
    private let postSignals: AsyncStream<Void>, postSink: AsyncStream<Void>.Continuation

    private var phase = Phase.opening
    private var url: String
    private var serverLimit = 0
    private var outbox: [EnginePacket] = []
    private var isGetting = false
    private var isPosting = false

    nonisolated init(_ configuration: SocketConfiguration) {
        let inbox = TransportInbox(maximumPayload: configuration.maximumPayload)
        self.inbox = inbox
        (getSignals, getSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (postSignals, postSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        endpoint = configuration.endpoint
        settings = configuration.sessionSettings { LoopActor.assumeIsolated { inbox.add(.reached) } }
        maximumPayload = configuration.maximumPayload
        url = configuration.endpoint.url(of: .polling)
    }

    func run() async {
        do {
            let session = try HTTPSession(settings)
            defer { session.abort() }
            try await performHandshake(in: session)
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await self.get(in: session) }
                group.addTask { try await self.post(in: session) }
            }
        } catch is CancellationError {
        } catch let end as TransportEnd {
            inbox.add(.ended(end))
        } catch {
            inbox.add(.ended(TransportEnd(reason: .transportError, failure: SocketFailure(error))))
        }
        inbox.finish()
    }

    func send(_ packets: [EnginePacket]) {
        guard phase != .opening else { return }
        outbox += packets
        guard outbox.count <= Self.outboxLimit, outbox.reduce(0, { $0 + $1.size }) <= Self.outboxSize else {
            outbox = []
            return inbox.add(.ended(TransportEnd(reason: .transportError, failure: .unread)))
        }
        postSink.yield()
    }

    func close() {
        guard phase != .opening else { return }
        phase = .closing
        postSink.yield()
    }

    /// Completes the requests in progress, sends the queued packets and starts no further GET; then `.paused`
    /// is reported.
    func pause() {
        guard phase == .open else { return }
        phase = .pausing
        reportPause()
    }

    /// Resumes after `pause()`.
    func resume() {
        guard phase == .pausing || phase == .paused else { return }
        phase = .open
        getSink.yield()
        postSink.yield()
    }

    var localAddresses: [String] { settings.links.localAddresses }

    var serverAddress: String? { settings.links.hostAddress }

    /// Does nothing, because over polling there is no request that a server must answer immediately.
    func ping() {}

    private func reportPause() {
        guard phase == .pausing, !isGetting, !isPosting, outbox.isEmpty else { return }
        phase = .paused
        inbox.add(.paused)
    }
}

extension PollingTransport {
    private func performHandshake(in session: HTTPSession) async throws {
        let response = try await session.send(request(nil)) { [inbox] in
            LoopActor.assumeIsolated { inbox.add(.requested) }
        }
        if let failure = SocketFailure(response) { throw failure }
        inbox.add(.opened)
        let packets = try decode(response.body)
        if case .open(let handshake) = packets.first {
            url = endpoint.url(of: .polling, sid: handshake.sid)
            serverLimit = handshake.maxPayload
            phase = .open
            getSink.yield()
        }
        deliver(packets)
    }

    private func get(in session: HTTPSession) async throws {
        for await _ in getSignals where phase == .open {
            isGetting = true
            let packets = try await exchange(nil, in: session)
            isGetting = false
            deliver(packets)
            guard !inbox.hasEnded else { throw CancellationError() }
            if phase == .open { getSink.yield() }
            reportPause()
        }
    }

    private func post(in session: HTTPSession) async throws {
        for await _ in postSignals {
            while phase != .paused, !outbox.isEmpty {
                isPosting = true
                _ = try await exchange(PollingPayload.encode(nextBatch()), in: session)
                isPosting = false
            }
            if phase == .closing {
                throw TransportEnd(reason: .transportClose, failure: .closed(code: nil))
            }
            reportPause()
        }
    }

    /// Removes the packets of the next body from the outbox and returns them.
    private func nextBatch() -> [EnginePacket] {
        let first = outbox.prefix(Self.packetLimit)
        let count = PollingPayload.prefixLength(of: first, maximumLength: serverLimit)
        defer { outbox.removeFirst(count) }
        return Array(first.prefix(count))
    }

    /// Sends a GET, or a POST of `text`, and decodes the packets in the response to a GET.
    ///
    /// - Throws: `TransportEnd` or `CancellationError`.
    private func exchange(_ text: String?, in session: HTTPSession) async throws -> [EnginePacket] {
        do {
            let response = try await session.send(request(text))
            if let text, response.status == 413 {
                throw SocketFailure.payloadRefused(bytes: text.utf8.count)
            }
            if let failure = SocketFailure(response) { throw failure }
            return text == nil ? try decode(response.body) : []
        } catch  where error is SocketFailure || error is HTTPFailure {
            // Once DISCONNECT has been sent, the server may end the session without answering the GET.
            if phase == .closing, text == nil { return [] }
            throw TransportEnd(reason: .transportError, failure: SocketFailure(error).midSession)
        }
    }

    private func request(_ text: String?) -> HTTPRequest {
        HTTPRequest(
            url,
            method: text == nil ? "GET" : "POST",
            body: text.map { .bytes(Array($0.utf8), type: "text/plain;charset=UTF-8") },
            limit: bodyLimit
        )
    }

    /// The maximum size of a body in bytes; a body may contain several messages, and Base64 adds a third.
    private var bodyLimit: Int { min(maximumPayload, 1 << 40) * 4 }

    private func decode(_ body: [UInt8]) throws -> [EnginePacket] {
        do {
            let limit = TransportInbox.packetLimit
            return try PollingPayload.decode(body, maximumLength: bodyLimit, maximumCount: limit)
        } catch {
            throw TransportEnd(reason: .transportError, failure: .malformed("\(error)"))
        }
    }

    private func deliver(_ packets: [EnginePacket]) {
        for packet in packets {
            guard packet.isWithin(maximumPayload) else {
                let failure = SocketFailure.messageTooLarge(limit: maximumPayload)
                inbox.add(.ended(TransportEnd(reason: .transportError, failure: failure)))
                return
            }
            inbox.add(.packet(packet))
        }
    }
}

extension SocketFailure {
    /// The failure as reported within a session, in which the server is known to speak Engine.IO.
    fileprivate var midSession: SocketFailure {
        switch self {
        case .refused(let detail), .notEngineIO(let detail, _): .broken(detail)
        default: self
        }
    }
}

extension EnginePacket {
    fileprivate func isWithin(_ limit: Int) -> Bool {
        switch self {
        case .message(let text): text.utf8.count < limit
        case .binary(let bytes): bytes.count <= limit
        default: true
        }
    }
}
