internal import CSoup
internal import GLibKit
internal import SocketIO

/// Engine.IO over HTTP long polling, on libsoup: a GET that the server holds until it has something to
/// say, and beside it at most one POST of what this side has.
@LoopActor
final class PollingTransport: Transport {
    private enum Phase {
        case opening, open
        /// No further GET begins; what is under way, and what is to be sent, is finished.
        case pausing
        case paused
        /// What is to be sent is finished, and then nothing is left.
        case closing
    }

    /// python-engineio takes no more packets in one body.
    private nonisolated static let packetLimit = 16

    nonisolated let name = TransportName.polling
    nonisolated let events: AsyncStream<TransportEvent>

    private let news: AsyncStream<TransportEvent>.Continuation
    private let endpoint: SocketEndpoint
    private let settings: SessionSettings
    private let maximumPayload: Int
    /// A turn is due to the GET, or to the POST; two that are due at once are one.
    private let getTurns: AsyncStream<Void>, newGetTurns: AsyncStream<Void>.Continuation
    private let postTurns: AsyncStream<Void>, newPostTurns: AsyncStream<Void>.Continuation

    private var phase = Phase.opening
    private var url: String
    private var serverLimit = 0
    private var outbox: [EnginePacket] = []
    private var isGetting = false
    private var isPosting = false

    nonisolated init(_ configuration: SocketConfiguration) {
        (events, news) = AsyncStream.makeStream()
        (getTurns, newGetTurns) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (postTurns, newPostTurns) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        endpoint = configuration.endpoint
        settings = configuration.sessionSettings { [news] in news.yield(.reached) }
        maximumPayload = configuration.maximumPayload
        url = configuration.endpoint.url(of: .polling)
    }

    func run() async {
        do {
            let session = try settings.makeSession()
            // A body that was not read to its end would otherwise be waited for, by a blocking close.
            defer { soup_session_abort(session.cast(to: SoupSession.self)) }
            try await shakeHands(in: session)
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await self.get(in: session) }
                group.addTask { try await self.post(in: session) }
            }
        } catch is CancellationError {
        } catch let end as TransportEnd {
            news.yield(.ended(end))
        } catch {
            news.yield(.ended(TransportEnd(reason: .transportError, failure: SocketFailure(error))))
        }
        news.finish()
    }

    func send(_ packets: [EnginePacket]) {
        guard phase != .opening else { return }
        outbox += packets
        newPostTurns.yield()
    }

    func close() {
        guard phase != .opening else { return }
        phase = .closing
        newPostTurns.yield()
    }

    /// Lets the requests under way finish, and then begins none; `.paused` follows.
    func pause() {
        guard phase == .open else { return }
        phase = .pausing
        reportPause()
    }

    /// Goes on after `pause()`.
    func resume() {
        guard phase == .pausing || phase == .paused else { return }
        phase = .open
        newGetTurns.yield()
        newPostTurns.yield()
    }

    var localAddresses: [String] { settings.links.localAddresses }

    var serverAddress: String? { settings.links.hostAddress }

    /// Asks nothing: a server owes no answer to a request but the events that it holds it for.
    func ping() {}

    private func reportPause() {
        guard phase == .pausing, !isGetting, !isPosting, outbox.isEmpty else { return }
        phase = .paused
        news.yield(.paused)
    }
}

extension PollingTransport {
    private func shakeHands(in session: ObjectRef) async throws {
        let answer = try await request(nil).send(in: session) { [news] in news.yield(.requested) }
        if let failure = answer.failure { throw failure }
        news.yield(.opened)
        let packets = try decode(answer.body)
        if case .open(let handshake) = packets.first {
            url = endpoint.url(of: .polling, sid: handshake.sid)
            serverLimit = handshake.maxPayload
            phase = .open
            newGetTurns.yield()
        }
        deliver(packets)
    }

    private func get(in session: ObjectRef) async throws {
        for await _ in getTurns where phase == .open {
            isGetting = true
            let packets = try await exchange(nil, in: session)
            isGetting = false
            deliver(packets)
            if phase == .open { newGetTurns.yield() }
            reportPause()
        }
    }

    private func post(in session: ObjectRef) async throws {
        for await _ in postTurns {
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

    /// Takes from the outbox what one body may carry.
    private func nextBatch() -> [EnginePacket] {
        let first = outbox.prefix(Self.packetLimit)
        let count = PollingPayload.prefixLength(of: first, maximumLength: serverLimit)
        defer { outbox.removeFirst(count) }
        return Array(first.prefix(count))
    }

    /// Gets, or posts a text; the packets of the answer to a GET.
    ///
    /// - Throws: `TransportEnd`, or `CancellationError`.
    private func exchange(_ text: String?, in session: ObjectRef) async throws -> [EnginePacket] {
        do {
            let answer = try await request(text).send(in: session)
            if let text, answer.status == 413 { throw SocketFailure.payloadRefused(bytes: text.utf8.count) }
            if let failure = answer.failure { throw failure }
            return text == nil ? try decode(answer.body) : []
        } catch let failure as SocketFailure {
            // Once the farewell is on its way the server may have ended the session before it answers.
            if phase == .closing, text == nil { return [] }
            throw TransportEnd(reason: .transportError, failure: failure.midSession)
        }
    }

    private func request(_ text: String?) -> HTTPRequest {
        HTTPRequest(url: url, text: text.map { Array($0.utf8) }, settings: settings, limit: bodyLimit)
    }

    /// A body may carry several messages, and bytes grow by a third in Base64.
    private var bodyLimit: Int { min(maximumPayload, 1 << 40) * 4 }

    private func decode(_ body: [UInt8]) throws -> [EnginePacket] {
        do {
            return try PollingPayload.decode(body, maximumLength: bodyLimit)
        } catch {
            throw TransportEnd(reason: .transportError, failure: .malformed("\(error)"))
        }
    }

    private func deliver(_ packets: [EnginePacket]) {
        for packet in packets {
            guard packet.isWithin(maximumPayload) else {
                let failure = SocketFailure.messageTooLarge(limit: maximumPayload)
                news.yield(.ended(TransportEnd(reason: .transportError, failure: failure)))
                return
            }
            news.yield(.packet(packet))
        }
    }
}

extension SocketFailure {
    /// The failure of a request in a session: what answered did speak Engine.IO.
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
