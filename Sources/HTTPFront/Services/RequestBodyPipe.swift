internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// A pipe that passes a request's body from its connection to the task that answers the request, with back-pressure.
///
/// Confined to the event loop, except that any task may read `body`.
final class RequestBodyPipe: RequestBodyReceiver {
    private typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
    >

    /// An error for a body that ended early, because the client disconnected or the request has been answered.
    struct Aborted: Error {}

    /// An error for a service that reads the body of a request twice.
    struct ReadTwice: Error {}

    /// The delegate of the producer, which reads more from the client when the task needs more parts.
    private struct Demand: NIOAsyncSequenceProducerDelegate {
        let resume: @Sendable () -> Void

        func produceMore() { resume() }

        func didTerminate() {}
    }

    /// The body; nothing is read from the client before its first part is requested.
    let body: RequestBody
    private let source: Producer.Source
    /// Whether parts of the body may still arrive.
    private(set) var isOpen = true
    private let count: (Int) -> Void

    /// Creates a pipe; `count` is called with the length of each part.
    init(_ exchange: HTTPExchange, on eventLoop: any EventLoop, count: @escaping (Int) -> Void) {
        let bound = NIOLoopBound(exchange, eventLoop: eventLoop)
        let resume: @Sendable () -> Void = { eventLoop.execute { bound.value.resumeBody() } }
        let made = Producer.makeSequence(
            backPressureStrategy: .init(lowWatermark: 1, highWatermark: 4),
            finishOnDeinit: true,
            delegate: Demand(resume: resume)
        )
        source = made.source
        body = RequestBody(asyncSequence: RequestedParts(parts: made.sequence, begin: resume))
        self.count = count
        exchange.receiveBody(by: self)
    }

    func receive(_ part: ByteBuffer) -> Bool {
        count(part.readableBytes)
        // A service that has stopped reading gets nothing more.
        return source.yield(part) == .produceMore
    }

    func bodyDidEnd() {
        isOpen = false
        source.finish()
    }

    func bodyWasAborted() {
        isOpen = false
        source.finish(Aborted())
    }
}

/// The parts of a body, which can be read once; `begin` is called when the first part is requested.
private struct RequestedParts<Parts: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Parts.Element == ByteBuffer {
    struct Iterator: AsyncIteratorProtocol {
        /// The iterator of the parts; nil for a second reader, where SwiftNIO's sequence would trap.
        var parts: Parts.AsyncIterator?
        var begin: (@Sendable () -> Void)?

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            guard parts != nil else { throw RequestBodyPipe.ReadTwice() }
            begin?()
            begin = nil
            return try await parts?.next(isolation: actor)
        }
    }

    let parts: Parts
    let begin: @Sendable () -> Void
    private let isTaken = FirstReader()

    init(parts: Parts, begin: @escaping @Sendable () -> Void) { (self.parts, self.begin) = (parts, begin) }

    func makeAsyncIterator() -> Iterator {
        Iterator(parts: isTaken.take() ? parts.makeAsyncIterator() : nil, begin: begin)
    }
}

/// A flag that only one caller can take.
private final class FirstReader: Sendable {
    private let isTaken = Mutex(false)

    func take() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}
