internal import Basics
internal import FrontParsers
internal import HTTPFront
internal import NIOCore
internal import NIOHTTP1

/// The HTTP long-polling transport of an Engine.IO session: GET requests wait for output, POST requests carry
/// input.
final class PollingTransport {
    private static let separator = UInt8(0x1E)

    // This reference cycle ends when the session is removed and releases its transport.
    private let session: EngineSession
    private let batch: WriteBatch
    private let queues: ClientQueues
    private let maximumQueuedBytes: Int
    /// The GET that waits for packets.
    private var poll: HTTPExchange?
    /// The POST whose body is arriving.
    private var upload: HTTPExchange?
    private var queue: [FramedMessage] = []
    private var queuedBytes = 0
    private var isInBatch = false
    private var isDiscarded = false
    private var isDropped = false
    var queueSeat = ClientQueueSeat()

    init(session: EngineSession, engine: EngineServer) {
        self.session = session
        batch = engine.batch
        queues = engine.queues
        maximumQueuedBytes = engine.configuration.maximumQueuedBytes
    }

    /// Whether a GET waits for packets.
    var isPolled: Bool { poll != nil }

    /// Whether packets wait for a GET.
    var isHolding: Bool { !queue.isEmpty }

    /// Answers a GET as soon as there are packets; a second simultaneous GET ends the session.
    func hold(_ exchange: HTTPExchange) {
        guard poll == nil else {
            exchange.respond(HTTPReply(refusing: .badRequest, exchange.head))
            return session.close(.transportError)
        }
        poll = exchange
        exchange.waiter = self
        answerPoll()
    }

    /// Ends polling after an upgrade, and returns the unsent packets for the new transport.
    func discard() -> [FramedMessage] {
        isDiscarded = true
        answerNoop()
        upload = nil
        defer { clearQueue() }
        return queue
    }

    /// Answers a waiting GET with a noop packet.
    func answerNoop() {
        // The property is cleared first, because the response may lead to the client's next GET.
        let answered = poll
        poll = nil
        answered?.respond(HTTPReply(polling: FramedMessage.noop.payload))
    }

    private func answerPoll() {
        guard let poll, !queue.isEmpty else { return }
        var body = queue[0].pollingText
        for message in queue.dropFirst() {
            body.writeInteger(Self.separator)
            body.writeImmutableBuffer(message.pollingText)
        }
        clearQueue()
        self.poll = nil
        poll.respond(HTTPReply(polling: body))
        if session.isClosed { session.remove() }
    }
}

extension PollingTransport: ClientQueue {
    func lookAtQueue() { queues.note(self, bytes: queuedBytes, hasProgress: false) }

    func dropQueue(_ reason: SlowClient) {
        clearQueue()
        // The session is closed, but the client has not fetched its last packets.
        if session.isClosed { return session.remove() }
        guard !isDropped else { return }
        isDropped = true
        let session = session
        session.engine.front.slowConsumerClosed(reason)
        session.engine.eventLoop.assumeIsolated().execute { session.close(.slowConsumer) }
    }

    private func clearQueue() {
        queue = []
        queuedBytes = 0
        queues.remove(self)
    }
}

extension PollingTransport {
    /// Begins a POST; a second simultaneous POST ends the session.
    func beginUpload(_ exchange: HTTPExchange) {
        guard upload == nil else {
            exchange.respond(HTTPReply(refusing: .badRequest, exchange.head))
            return session.close(.transportError)
        }
        upload = exchange
        exchange.waiter = self
    }

    /// Handles the packets in the body of a POST, and answers the request.
    func finishUpload(_ exchange: HTTPExchange, _ body: ByteBuffer) {
        guard upload === exchange else {
            return exchange.respond(HTTPReply(refusing: .badRequest, exchange.head))
        }
        upload = nil
        guard session.takeBytes(body.readableBytes) else {
            return exchange.respond(HTTPReply(refusing: .badRequest, exchange.head))
        }
        if exchange.head.headers.first(name: "content-type") == "application/octet-stream" {
            exchange.respond(HTTPReply(.badRequest))
            return session.close(.transportError)
        }
        let isValid = receive(body)
        exchange.respond(isValid ? .posted : HTTPReply(refusing: .badRequest, exchange.head))
    }

    private func receive(_ body: ByteBuffer) -> Bool {
        let bytes = body.readableBytesView
        guard (try? UTF8Span(validating: body.readableBytesUInt8Span)) != nil else {
            session.close(.parseError)
            return false
        }
        // Packets are handled one by one, so that a body of separators is rejected at its first, empty
        // packet.
        var start = bytes.startIndex
        while !session.isClosed, !isDiscarded {
            let end = bytes[start...].firstIndex(of: Self.separator) ?? bytes.endIndex
            guard let message = Self.message(bytes[start..<end]) else {
                session.close(.parseError)
                return false
            }
            guard session.receive(message, from: self) else { return false }
            guard end < bytes.endIndex else { break }
            start = bytes.index(after: end)
        }
        return true
    }

    private static func message(_ packet: ByteBufferView) -> FramedMessage? {
        guard packet.first == UInt8(ascii: "b") else { return FramedMessage(opcode: .text, packet) }
        let text = String(decoding: packet.dropFirst(), as: UTF8.self)
        return Base64.decode(text).map { FramedMessage(opcode: .binary, $0) }
    }
}

extension PollingTransport: EngineTransport {
    var kind: TransportKind { .polling }

    func send(_ message: FramedMessage) {
        guard !isDropped else { return }
        queue.append(message)
        // The entry in the queue is counted as 64 bytes.
        queuedBytes += message.frame.readableBytes + 64
        if queuedBytes > maximumQueuedBytes, queue.count > 1 { return dropQueue(.queueFull) }
        // A waiting GET is answered with all queued packets at the end of this iteration of the event loop.
        guard poll != nil else { return lookAtQueue() }
        answerSoon()
    }

    func sendPing() {
        // A ping is not counted as waiting output, because its pong has a deadline.
        queue.append(.ping)
        if poll != nil { answerSoon() }
    }

    private func answerSoon() {
        guard !isInBatch else { return }
        isInBatch = true
        batch.add(self)
    }

    func close(_ reason: DisconnectReason) {
        queue.append(reason == .clientClose ? .noop : .close)
        answerPoll()
    }

    /// Discards the packets of a removed session.
    func end() { clearQueue() }
}

extension PollingTransport: BatchedWriter {
    func flushBatch() {
        isInBatch = false
        answerPoll()
        // If the GET has ended in the meantime, packets are still queued.
        if queuedBytes > 0 { lookAtQueue() }
    }
}

extension PollingTransport: HTTPExchangeWaiter {
    func exchangeWillEnd(_ exchange: HTTPExchange) {
        if exchange === poll { poll = nil }
        if exchange === upload { upload = nil }
    }

    func exchangeWasAborted(_ exchange: HTTPExchange) {
        guard exchange === poll || exchange === upload else { return }
        if exchange === poll { poll = nil }
        // If the POST was aborted, a waiting GET is answered with the close packet.
        session.close(.transportError)
    }
}
